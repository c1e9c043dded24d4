"""From text to vectors: profiles, providers, and calling them without holding anything."""
