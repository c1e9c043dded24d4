"""The intent filter: what of a conversation matters for its task, by rules and by likeness."""
