"""HTML edge."""
