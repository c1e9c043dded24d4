"""Subject requests carried out: asks conversations and memories, probes, keeps the ledger."""
