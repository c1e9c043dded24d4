-- What a database of MemoryHub needs from a superuser; safe to run again. Run in that database,
-- after roles.sql. `public` belongs to the database's owner, hub_owner, like everything in it.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS unaccent;
-- A newer server package may bring newer scripts of these.
ALTER EXTENSION vector UPDATE;
ALTER EXTENSION pg_trgm UPDATE;
ALTER EXTENSION btree_gin UPDATE;
ALTER EXTENSION unaccent UPDATE;

-- No temporary tables for hub_app: pg_temp could shadow names inside the search function.
DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO hub_owner, hub_app', current_database());
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO hub_owner;
GRANT USAGE ON SCHEMA public TO hub_app, hub_search, hub_sealer;
