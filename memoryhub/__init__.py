"""Composition root: settings, addresses, the server processes. Holds no domain logic."""
