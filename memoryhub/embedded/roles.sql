-- The roles of MemoryHub, once per server; safe to run again. Run as a superuser.
-- The two passwords come in as settings of the session, so that no statement contains them:
--   SELECT set_config('memoryhub.owner_password', '...', false),
--          set_config('memoryhub.app_password', '...', false);
-- Used by the embedded server (memoryhub/embedded/databases.py) and by docker/postgres.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['hub_owner', 'hub_app', 'hub_search', 'hub_sealer'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('CREATE ROLE %I', role_name);
    END IF;
  END LOOP;
  EXECUTE format('ALTER ROLE hub_owner PASSWORD %L', current_setting('memoryhub.owner_password'));
  EXECUTE format('ALTER ROLE hub_app PASSWORD %L', current_setting('memoryhub.app_password'));
END $$;

-- Owns the tables and migrates.
ALTER ROLE hub_owner LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
-- Runs everything else. Row level security binds it, because it owns nothing.
ALTER ROLE hub_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
-- Owns the search function only (SECURITY DEFINER, a policy of its own).
ALTER ROLE hub_search NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
-- Owns the functions of the sealer only: hashes of all tenants' events, and their leaves.
ALTER ROLE hub_sealer NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
-- So that the alarm of a stalled sealer can name who stalls it.
GRANT pg_read_all_stats TO hub_sealer;

-- SET lets the owner give it functions; without INHERIT the owner does not read through it.
GRANT hub_search, hub_sealer TO hub_owner WITH SET TRUE, INHERIT FALSE, ADMIN FALSE;

ALTER ROLE hub_owner SET timezone = 'UTC';
ALTER ROLE hub_app SET timezone = 'UTC';
ALTER ROLE hub_app SET transaction_timeout = '5min';
ALTER ROLE hub_app SET idle_in_transaction_session_timeout = '60s';
