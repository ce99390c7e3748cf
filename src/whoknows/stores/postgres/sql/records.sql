-- Traces, events, audit, idempotency, and the writer's own pending work.

-- name: add_trace
INSERT INTO traces (tenant_id, trace_id, principal_id, credential_id, inspected, question, body)
VALUES (%(tenant)s, %(id)s, %(reader)s, %(credential)s, %(inspected)s, %(question)s, %(body)s)

-- name: trace
SELECT t.trace_id, t.question, t.asked_at, t.body, p.kind, p.name
FROM traces t JOIN principals p ON p.principal_id = t.principal_id
WHERE t.trace_id = %(id)s AND t.tenant_id = %(tenant)s AND t.principal_id = %(reader)s
  AND (NOT t.inspected OR t.credential_id = my_credential())

-- One's own newest questions, with what was best: what has become invisible since is left out by the flow.
-- name: newest_traces
SELECT t.trace_id, t.question, t.asked_at, (t.body->'floor')::float8 AS floor, h.ids AS hits, h.scores AS hit_scores,
    d.ids AS dropped, d.scores AS dropped_scores
FROM traces t, LATERAL (
    SELECT array_agg((x->>'id')::uuid) AS ids, array_agg((x->'score')::float8) AS scores
    FROM jsonb_array_elements(t.body->'hits') x) h, LATERAL (
    SELECT array_agg((x->>'id')::uuid) AS ids, array_agg((x->'score')::float8) AS scores
    FROM jsonb_array_elements(t.body->'dropped') x) d
WHERE t.tenant_id = %(tenant)s AND t.principal_id = %(reader)s AND (NOT t.inspected OR t.credential_id = my_credential())
ORDER BY t.asked_at DESC LIMIT %(limit)s

-- name: visible
SELECT m.memory_id FROM memories m WHERE m.memory_id = ANY (%(ids)s::uuid[]) AND {{visible m}}

-- An event about a memory that is there is told to those who may read it now; one about a memory that is gone, to its audience.
-- Audience by audience, along the index: the next event costs the same however many follow it.
-- name: events_after
SELECT next.event_id, next.xid::text::bigint AS xid, next.event_no, next.kind, next.memory_id, next.at
FROM audiences a CROSS JOIN LATERAL (
    SELECT e.event_id, e.xid, e.event_no, e.kind, e.memory_id, e.at
    FROM events e LEFT JOIN memories m ON m.memory_id = e.memory_id AND {{visible m}}
    WHERE e.audience_id = a.audience_id AND {{of_audience e}}
      AND (e.xid, e.event_no) > (%(xid)s::text::xid8, %(number)s) AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
      AND (NOT e.held OR e.author_id = %(reader)s OR e.audience_id = ANY (%(reviews)s::int[]))
      AND (m.memory_id IS NOT NULL OR e.kind IN ('memory.deleted', 'memory.moved'))
    ORDER BY e.xid, e.event_no LIMIT %(limit)s) next
WHERE {{of_audience a}}
ORDER BY next.xid, next.event_no LIMIT %(limit)s

-- Also of an event that one may not see any more: one goes on behind it, and it is not told again.
-- name: event_position
SELECT xid::text::bigint AS xid, number AS event_no FROM event_place(%(event)s)

-- Where a new listener begins: behind all that is committed. It tells nothing, it is never shown.
-- name: present_position
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid

-- name: audit
SELECT u.audit_id, u.at, u.credential_id, u.action, u.target, u.detail,
    (SELECT p.kind || ':' || p.name FROM principals p WHERE p.principal_id = u.principal_id) AS principal,
    (SELECT p.kind || ':' || p.name FROM principals p WHERE p.principal_id = u.concerns) AS concerns
FROM audit u WHERE u.tenant_id = my_tenant() AND (%(before)s::bigint IS NULL OR u.audit_no < %(before)s)
ORDER BY u.audit_no DESC LIMIT %(limit)s

-- name: audit_position
SELECT u.audit_no FROM audit u WHERE u.tenant_id = my_tenant() AND u.audit_id = %(id)s::uuid

-- name: pending_embeddings
SELECT count(*) AS n FROM pending_embeddings WHERE author_id = my_principal()

-- name: last_asked
SELECT max(t.asked_at) AS at FROM traces t WHERE t.principal_id = my_actor() AND t.credential_id = my_credential() AND NOT t.inspected

-- name: claim_key
INSERT INTO idempotency (tenant_id, principal_id, route, key, body_hash)
VALUES (%(tenant)s, %(principal)s, %(route)s, %(key)s, %(body_hash)s) ON CONFLICT DO NOTHING

-- name: claimed
SELECT body_hash, answer FROM idempotency WHERE principal_id = %(principal)s AND route = %(route)s AND key = %(key)s

-- name: remember
UPDATE idempotency SET answer = %(answer)s WHERE principal_id = %(principal)s AND route = %(route)s AND key = %(key)s
