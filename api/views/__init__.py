"""One module a part of API.md; each view parses, calls one use case, renders."""
