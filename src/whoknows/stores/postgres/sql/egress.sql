-- Egress: which banks forbid it, and the count of what was sent.

-- name: forbidding
SELECT r.bank_id FROM egress_rules r WHERE r.tenant_id = my_tenant() AND (r.by_owner OR r.by_administrator)

-- name: rules
SELECT p.principal_id, p.kind, p.name, coalesce(r.by_owner, false) AS by_owner,
    coalesce(r.by_administrator, false) AS by_administrator
FROM principals p LEFT JOIN egress_rules r ON r.bank_id = p.principal_id
WHERE p.tenant_id = my_tenant() AND p.deleted_at IS NULL AND p.principal_id = ANY (%(ids)s::int[])
ORDER BY array_position(%(ids)s::int[], p.principal_id)

-- name: forbid
SELECT set_egress(%(bank)s, %(forbidden)s)

-- name: kept_back
SELECT my_kept_back() AS n

-- name: note
SELECT note_egress(%(purpose)s, %(host)s, %(model)s, %(ids)s::uuid[], %(own)s)

-- Words of one's own are of no audience: the policy shows the reader's and its account's.
-- name: sent
SELECT c.bank_id, c.purpose, c.host, c.model, sum(c.texts)::bigint AS texts, sum(c.requests)::bigint AS requests,
    max(c.last_at) AS last_at
FROM egress_counts c
WHERE c.tenant_id = %(tenant)s AND (c.audience_id IS NULL OR (c.audience_id = ANY (%(audiences)s::int[])
    AND (c.held_of IS NULL OR c.held_of = %(reader)s OR c.audience_id = ANY (%(reviews)s::int[]))))
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
