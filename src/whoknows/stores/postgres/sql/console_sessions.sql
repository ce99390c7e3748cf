-- Sessions of the web console.

-- name: find
SELECT credential_id, tenant_id, tenant, permissions, task_id, expires_at, acts_as, session_id, acting, eyes, project, ends_at
FROM find_session(%(hash)s)

-- name: open
SELECT acting, eyes, project, ends_at FROM open_session(%(id)s, %(hash)s)

-- name: choose
SELECT acting, eyes, project, ends_at FROM choose_session(%(id)s, %(named)s::text[], %(acting)s, %(eyes)s, %(project)s)

-- name: close
SELECT close_session(%(id)s)

-- name: living
SELECT l.id FROM living(%(keys)s::uuid[], %(sessions)s::uuid[]) l(id)
