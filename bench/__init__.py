"""Measurements of MemoryHub, beside its peers, on this machine. `python -m bench --help`."""
