-- Publications: one's own, by rule P4; memories are loaded under their own predicate.

-- name: select
SELECT p.publication_id, p.original_id, p.state, p.memory_id, p.version, p.content_hash, p.created_at, p.published_at, p.withdrawn_at,
    jsonb_build_array(t.principal_id, t.kind, t.name) AS team, jsonb_build_array(w.principal_id, w.kind, w.name) AS publisher
FROM publications p JOIN principals t ON t.principal_id = p.team_id JOIN principals w ON w.principal_id = p.publisher_id
WHERE p.tenant_id = %(tenant)s AND p.publisher_id = %(reader)s

-- name: by_id
AND p.publication_id = %(id)s

-- name: newest
AND (%(before)s::uuid IS NULL OR p.publication_id < %(before)s::uuid)
ORDER BY p.publication_id DESC LIMIT %(limit)s

-- name: of_originals
AND p.original_id = ANY (%(originals)s::uuid[]) ORDER BY p.publication_id

-- name: pending
SELECT p.publication_id FROM publications p
WHERE p.publication_id = %(id)s AND p.publisher_id = my_principal() AND p.state = 'pending'

-- name: reserve
SELECT id, outcome, wait FROM reserve_publication(%(id)s, %(original)s, %(team)s, %(lease)s, %(seconds)s, %(again)s)

-- name: write
SELECT write_publication(%(id)s, %(lease)s, %(copy)s, %(gate)s, %(held)s) AS copy

-- name: complete
SELECT complete_publication(%(id)s, %(lease)s) AS outcome

-- name: abandon
SELECT abandon_publication(%(id)s, %(lease)s) AS done

-- name: withdraw
SELECT withdraw_publication(%(id)s) AS state

-- name: renew
SELECT renew_publication(%(id)s, %(gate)s, %(held)s) AS outcome
