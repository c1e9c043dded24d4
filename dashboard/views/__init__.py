"""One module a section; each view parses, calls one use case, renders."""
