-- What `whoknows doctor` looks at. No tenant data: there is no predicate here because there is nothing to see.

-- name: server
SELECT current_setting('server_version')

-- name: pgvector
SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'

-- name: installed
SELECT to_regclass('whoknows.installation')::text WHERE to_regclass('whoknows.installation') IS NOT NULL

-- name: migrations
SELECT name FROM whoknows.migrations ORDER BY name

-- name: dimensions
SELECT dimensions FROM whoknows.installation

-- name: powerful_roles
SELECT rolname FROM pg_roles
WHERE rolname IN ('whoknows_request', 'whoknows_jobs', 'whoknows_definer') AND (rolsuper OR rolbypassrls) ORDER BY rolname

-- name: unforced_tables
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'whoknows' AND c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
ORDER BY c.relname
