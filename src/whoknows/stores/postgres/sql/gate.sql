-- The gate: levels, subjects, what waits for a reviewer, and what did not go in.

-- name: level
SELECT gate FROM principals WHERE principal_id = %(owner)s

-- name: lock
SELECT lock_subjects(%(keys)s::bigint[])

-- name: leave_words
SELECT leave_words(%(id)s, %(next)s) AS done

-- name: copied_level
SELECT copied_level(%(original)s, %(team)s) AS level

-- name: waiting
SELECT m.memory_id FROM memories m
WHERE m.state = 'held' AND {{visible m}} AND (%(after)s::uuid IS NULL OR m.memory_id > %(after)s::uuid) AND i_may_review(m.memory_id)
ORDER BY m.memory_id LIMIT %(limit)s

-- name: may_review
SELECT i_may_review(%(id)s) AS may

-- name: reword
SELECT reword(%(id)s, %(version)s, %(content)s, %(title)s, %(content_hash)s, %(dedupe_key)s, %(wide)s, %(terms)s::bigint[],
    %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s) AS done

-- name: admit
SELECT outcome, into_ FROM admit(%(id)s)

-- name: reject
SELECT reject_memory(%(id)s, %(entry)s, %(reason)s)

-- name: fail
INSERT INTO ledger (tenant_id, ledger_id, principal_id, credential_id, route, code, detail, findings)
VALUES (my_tenant(), %(id)s, my_actor(), my_credential(), %(route)s, %(code)s, %(detail)s, %(findings)s)

-- name: ledger
SELECT l.ledger_id, l.at, l.route, l.code, l.detail, l.findings FROM ledger l
WHERE l.tenant_id = my_tenant() AND l.principal_id = my_principal() AND (%(before)s::uuid IS NULL OR l.ledger_id < %(before)s::uuid)
ORDER BY l.ledger_id DESC LIMIT %(limit)s
