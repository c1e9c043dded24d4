"""Key ring, keyed hashes and (later) authenticated encryption. No models, no events."""
