-- Who exists in the tenant, and who is what.

-- The reader, its account and teams, and the ways in that name any of these. Whether their conditions hold is decided by
-- the policy.
-- name: standing
SELECT p.tenant_id, p.principal_id, p.kind, p.name, p.role, p.clearance,
    my_task() AS task,
    (SELECT jsonb_build_array(a.principal_id, a.kind, a.name) FROM principals a
     WHERE a.principal_id = p.account_id AND a.deleted_at IS NULL) AS account,
    t.teams,
    coalesce((SELECT jsonb_agg(jsonb_build_object('audience_id', g.audience_id, 'layer', g.layer, 'kind', g.kind, 'to_id', g.to_id,
         'team_id', g.team_id, 'task_id', g.task_id, 'session_id', g.session_id,
         -- What was given and taken back leaves an empty audience behind; nobody is told of it.
         'inhabited', g.kind <> 'self' OR (g.owner_id = p.principal_id AND g.layer <> 'injected')
             OR EXISTS (SELECT FROM memories m WHERE m.audience_id = g.audience_id),
         'owner', jsonb_build_array(o.principal_id, o.kind, o.name)))
     FROM audience_grants g JOIN principals o ON o.principal_id = g.owner_id
     WHERE g.tenant_id = p.tenant_id AND g.to_id = ANY (t.ids || p.principal_id || (SELECT a.principal_id FROM principals a
             WHERE a.principal_id = p.account_id AND a.deleted_at IS NULL AND p.role = 'main'))
       -- of tasks only the one that is worked on: an agent that had thousands of them is as quick as a new one
       AND (%(principal)s::int IS NOT NULL OR g.task_id IS NULL OR g.task_id = my_task())
       AND (%(all_sessions)s OR g.session_id IS NULL OR g.session_id = %(session)s)), '[]') AS grants
FROM principals p, LATERAL (
    SELECT coalesce(array_agg(t.principal_id), '{}') AS ids,
        coalesce(jsonb_agg(jsonb_build_array(t.principal_id, t.kind, t.name, coalesce(m.role, 'reader'))), '[]') AS teams
    FROM principals t LEFT JOIN memberships m ON m.team_id = t.principal_id AND m.principal_id = p.principal_id
    WHERE t.tenant_id = p.tenant_id AND t.kind = 'team' AND t.deleted_at IS NULL
      AND (m.principal_id IS NOT NULL OR t.name = '*')) t
WHERE p.principal_id = coalesce(%(principal)s::int, my_principal()) AND p.deleted_at IS NULL AND p.kind <> 'team'

-- Of several at once, without the ways in that name them: what a verdict on given ways in takes.
-- name: standings
SELECT p.tenant_id, p.principal_id, p.kind, p.name, p.role, p.clearance, NULL AS task, '[]'::jsonb AS grants,
    (SELECT jsonb_build_array(a.principal_id, a.kind, a.name) FROM principals a
     WHERE a.principal_id = p.account_id AND a.deleted_at IS NULL) AS account,
    (SELECT coalesce(jsonb_agg(jsonb_build_array(t.principal_id, t.kind, t.name, coalesce(m.role, 'reader'))), '[]')
     FROM principals t LEFT JOIN memberships m ON m.team_id = t.principal_id AND m.principal_id = p.principal_id
     WHERE t.tenant_id = p.tenant_id AND t.kind = 'team' AND t.deleted_at IS NULL
       AND (m.principal_id IS NOT NULL OR t.name = '*')) AS teams
FROM principals p
WHERE p.tenant_id = my_tenant() AND p.principal_id = ANY (%(principals)s::int[]) AND p.deleted_at IS NULL AND p.kind <> 'team'

-- name: grants_of
SELECT g.audience_id, g.layer, g.kind, g.to_id, g.team_id, g.task_id, g.session_id,
    jsonb_build_array(o.principal_id, o.kind, o.name) AS owner
FROM audience_grants g JOIN principals o ON o.principal_id = g.owner_id
WHERE g.audience_id = ANY (%(audiences)s::int[])

-- name: find
SELECT principal_id, kind, name FROM principals
WHERE tenant_id = my_tenant() AND kind = %(kind)s AND name = ANY (%(names)s::text[]) AND deleted_at IS NULL

-- name: agents
SELECT a.principal_id, a.kind, a.name, a.role, a.clearance, a.created_at,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = a.parent_id) AS parent,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = a.account_id) AS account
FROM principals a WHERE a.tenant_id = my_tenant() AND a.kind = 'agent' AND a.deleted_at IS NULL ORDER BY a.name

-- name: members
SELECT principal_id, kind, name, coalesce(display_name, name) AS display_name, created_at, gate
FROM principals WHERE tenant_id = my_tenant() AND kind = 'member' AND deleted_at IS NULL ORDER BY name

-- name: teams
SELECT t.principal_id, t.kind, t.name, coalesce(t.display_name, t.name) AS display_name, t.gate, t.share_with_subagents, t.created_at,
    coalesce((SELECT jsonb_agg(jsonb_build_array(p.principal_id, p.kind, p.name, m.role) ORDER BY p.kind, p.name)
     FROM memberships m JOIN principals p ON p.principal_id = m.principal_id WHERE m.team_id = t.principal_id), '[]') AS members
FROM principals t WHERE t.tenant_id = my_tenant() AND t.kind = 'team' AND t.deleted_at IS NULL ORDER BY t.name

-- Whom the lists of agents, members and teams name to the caller: all of the tenant to an administrator; otherwise one's own and
-- their descendants, with their parents and accounts, and one's teams with everybody on them. With the eyes of another, the other's.
-- name: looks
WITH RECURSIVE looking AS (
    SELECT my_principal() AS other WHERE my_principal() IS NOT NULL AND my_actor() IS NULL
), own AS (
    SELECT other AS id FROM looking
    UNION ALL
    SELECT cp.principal_id FROM credential_principals cp WHERE cp.credential_id = (SELECT my_credential()) AND NOT EXISTS (SELECT FROM looking)
), below AS (
    SELECT id FROM own
    UNION
    SELECT p.principal_id FROM below b JOIN principals p ON p.parent_id = b.id WHERE p.tenant_id = (SELECT my_tenant()) AND p.deleted_at IS NULL
), teams AS (
    SELECT t.principal_id AS id FROM principals t
    WHERE t.tenant_id = (SELECT my_tenant()) AND t.kind = 'team' AND (t.name = '*' OR EXISTS (
        SELECT FROM memberships m WHERE m.team_id = t.principal_id AND m.principal_id IN (SELECT id FROM own)))
), told AS (
    SELECT id FROM below
    UNION ALL SELECT unnest(ARRAY[p.parent_id, p.account_id]) FROM principals p
        WHERE p.tenant_id = (SELECT my_tenant()) AND p.principal_id IN (SELECT id FROM below)
    UNION ALL SELECT id FROM teams
    UNION ALL SELECT m.principal_id FROM memberships m WHERE m.team_id IN (SELECT id FROM teams)
)
SELECT p.principal_id, p.kind, p.name, p.look FROM principals p
WHERE p.tenant_id = (SELECT my_tenant()) AND p.deleted_at IS NULL
  AND ((SELECT i_may('admin') AND NOT EXISTS (SELECT FROM looking)) OR p.principal_id IN (SELECT id FROM told))

-- name: make
SELECT make_principal(%(kind)s, %(name)s, %(display_name)s, %(role)s, %(clearance)s, %(parent)s, %(account)s, %(gate)s, %(shares)s)

-- name: change_agent
SELECT change_agent(%(agent)s, %(role)s, %(clearance)s, %(parent)s, %(account)s)

-- name: change_member
SELECT change_member(%(member)s, %(display_name)s)

-- name: change_member_gate
SELECT change_member_gate(%(member)s, %(gate)s)

-- name: change_team
SELECT change_team(%(team)s, %(display_name)s, %(gate)s, %(shares)s)

-- name: remove
SELECT remove_principal(%(principal)s)

-- name: put_membership
SELECT put_membership(%(team)s, %(principal)s, %(role)s)

-- name: drop_membership
SELECT drop_membership(%(team)s, %(principal)s) AS dropped
