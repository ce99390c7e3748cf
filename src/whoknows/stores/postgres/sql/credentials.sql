-- Keys and tenants.

-- name: authenticate
SELECT credential_id, tenant_id, tenant, permissions, task_id, expires_at, acts_as FROM authenticate(%(hash)s)

-- name: make
SELECT make_credential(%(id)s, %(hash)s, %(acts_as)s::int[], %(permissions)s::text[], %(task_id)s, %(expires_at)s)

-- name: revoke
SELECT revoke_credential(%(id)s) AS revoked

-- name: list
SELECT c.credential_id, c.tenant_id, t.name AS tenant, c.permissions, c.task_id, c.expires_at, c.created_at, c.revoked_at, coalesce((
    SELECT jsonb_agg(jsonb_build_array(p.principal_id, p.kind, p.name) ORDER BY p.kind, p.name)
    FROM credential_principals cp JOIN principals p USING (principal_id) WHERE cp.credential_id = c.credential_id), '[]') AS acts_as
FROM credentials c JOIN tenants t USING (tenant_id) ORDER BY c.created_at DESC

-- name: create_tenant
SELECT create_tenant(%(name)s, %(id)s, %(hash)s) AS tenant_id

-- name: note_inspection
SELECT note_inspection(%(route)s)

-- Only for the owner of the database, at first start: the tenant `default` and the installation's key.
-- name: bootstrap
SELECT found_tenant('default', %(id)s, %(hash)s, '{admin,impersonate,inspect,audit,create_tenants}')
WHERE NOT EXISTS (SELECT FROM tenants WHERE name = 'default')
