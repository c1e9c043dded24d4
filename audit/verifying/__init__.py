"""Verifying: is the log what was sealed, and proofs of single events for whoever asks."""
