"""Evidence: exports of lists, the report, what an agent knew. Asks every room; owns no table."""
