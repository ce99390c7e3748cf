-- Tasks and injections.

-- name: ancestors
WITH RECURSIVE up AS (
    SELECT p.parent_id FROM principals p WHERE p.principal_id = %(agent)s AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL
    UNION
    SELECT p.parent_id FROM up JOIN principals p ON p.principal_id = up.parent_id AND p.deleted_at IS NULL)
SELECT parent_id FROM up WHERE parent_id IS NOT NULL

-- name: open_task
SELECT open_task(%(name)s, %(agents)s::int[], %(keys)s::uuid[], %(hashes)s::bytea[], %(expires_at)s) AS task_no

-- name: close_task
SELECT tokens, copies FROM close_task(%(task)s)

-- name: tasks
SELECT t.task_no, t.name, t.opened_at, t.expires_at,
    coalesce(t.closed_at, CASE WHEN t.expires_at <= now() THEN t.expires_at END) AS closed_at,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = t.opened_by) AS opened_by,
    coalesce((SELECT jsonb_agg(jsonb_build_array(p.principal_id, p.kind, p.name) ORDER BY p.name)
     FROM task_agents a JOIN principals p ON p.principal_id = a.agent_id WHERE a.task_no = t.task_no), '[]') AS agents
FROM tasks t WHERE t.tenant_id = my_tenant() AND t.task_no = coalesce(my_task_no(), t.task_no)
    AND (%(name)s::text IS NULL OR t.name = %(name)s)
ORDER BY t.task_no DESC LIMIT 1000

-- name: passable
SELECT i.memory_id FROM injections i JOIN memories m ON m.memory_id = i.memory_id
WHERE i.memory_id = ANY (%(ids)s::uuid[]) AND i.target_id = %(reader)s AND i.ended_at IS NULL AND i.may_pass_on AND {{visible m}}

-- name: give
SELECT given, at FROM give(%(injection)s, %(copy)s, %(target)s, %(original)s, %(listed)s, %(task)s, %(may_pass_on)s,
    %(expires_at)s, %(project_id)s)

-- name: injections
SELECT i.injection_id, i.memory_id, i.basis, i.may_pass_on, i.created_at, i.expires_at,
    -- What has ended by the clock is swept later.
    coalesce(i.ended_at, CASE WHEN i.expires_at <= now() THEN i.expires_at END) AS ended_at,
    coalesce(i.ended_why, CASE WHEN i.expires_at <= now() THEN 'its original, or its time, ended' END) AS ended_why,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = i.giver_id) AS giver,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = i.target_id) AS target,
    (SELECT t.name FROM tasks t WHERE t.task_no = i.task_no) AS task_id,
    c.original_id, c.changed
FROM injections i LEFT JOIN LATERAL given_from(i.injection_id) c ON true
WHERE i.tenant_id = %(tenant)s AND coalesce(i.task_no = my_task_no(), true) AND (i.giver_id = %(reader)s OR (i.target_id = %(reader)s AND i.ended_at IS NULL
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = i.memory_id AND {{visible m}})))
    AND (%(given)s::boolean IS NULL OR (i.giver_id = %(reader)s) = %(given)s)
    AND (%(id)s::uuid IS NULL OR i.injection_id = %(id)s)
    AND (%(these)s::uuid[] IS NULL OR i.injection_id = ANY (%(these)s::uuid[]))
    AND (%(before)s::uuid IS NULL OR i.injection_id < %(before)s::uuid)
ORDER BY i.injection_id DESC LIMIT %(limit)s

-- name: given_of
SELECT given_of(%(originals)s::uuid[]) AS injection_id

-- With whom something of the caller's is now.
-- name: given_to
SELECT DISTINCT p.principal_id, p.kind, p.name
FROM injections i JOIN principals p ON p.principal_id = i.target_id
WHERE i.tenant_id = %(tenant)s AND i.giver_id = %(reader)s AND i.ended_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
    AND coalesce(i.task_no = my_task_no(), true)

-- name: withdraw
SELECT withdraw_injection(%(id)s) AS done
