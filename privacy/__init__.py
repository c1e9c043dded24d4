"""Personal data: what is found, what becomes of it, and the vault of the originals."""
