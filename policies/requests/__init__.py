"""Subject requests: which step may follow, who may take it, and until when. Pure."""
