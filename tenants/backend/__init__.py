"""Django's Postgres backend, with the tenant as the first statement of every transaction."""
