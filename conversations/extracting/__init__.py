"""Extraction: what a message states about the person who wrote it, by rules or by an LLM."""
