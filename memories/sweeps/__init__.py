"""The rooms of a sweep: what it covers, what it hides, destroys and does besides."""
