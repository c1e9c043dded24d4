"""Memories out of the hub and in from elsewhere: formats, resume points, progress."""
