-- Where projects go. The policy shows an administrator all of the tenant, others what goes to teams that they read.

-- A project that has only remotes is an administrator's to know, until it goes somewhere.
-- name: routing
SELECT p.project_id,
    (SELECT jsonb_build_array(t.principal_id, t.kind, t.name) FROM project_banks b JOIN principals t ON t.principal_id = b.team_id
     WHERE b.tenant_id = my_tenant() AND b.project_id = p.project_id AND t.deleted_at IS NULL) AS team,
    ARRAY(SELECT r.remote FROM project_remotes r
          WHERE r.tenant_id = my_tenant() AND r.project_id = p.project_id ORDER BY r.remote) AS remotes
FROM (SELECT %(project)s::text AS project_id) p

-- name: routings
SELECT b.project_id, jsonb_build_array(t.principal_id, t.kind, t.name) AS team,
    ARRAY(SELECT r.remote FROM project_remotes r
          WHERE r.tenant_id = my_tenant() AND r.project_id = b.project_id ORDER BY r.remote) AS remotes
FROM project_banks b JOIN principals t ON t.principal_id = b.team_id
WHERE b.tenant_id = my_tenant() AND t.deleted_at IS NULL ORDER BY b.project_id

-- name: holder
SELECT r.remote, r.project_id FROM project_remotes r
WHERE r.tenant_id = my_tenant() AND r.remote = ANY (%(remotes)s::text[]) AND r.project_id <> %(project)s LIMIT 1

-- name: route
SELECT route_project(%(project)s, %(team)s, %(remotes)s::text[])
