"""Key ring, keyed hashes and authenticated encryption. No models, no events."""
