"""Who acts, for whom: tenants, people, keys, actors, roles and the isolation point."""
