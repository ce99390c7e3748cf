-- Evidence, piece by piece: each is filtered by the audience of its source.

-- name: of
SELECT e.evidence_id, e.memory_id, e.audience_id, to_jsonb(e) - 'tenant_id' - 'added_by' AS evidence
FROM evidence e JOIN memories m ON m.memory_id = e.memory_id
WHERE e.memory_id = ANY (%(ids)s::uuid[]) AND {{visible m}} AND {{of_audience e}}
  AND (e.source_memory IS NULL OR e.gone_at IS NOT NULL
       OR EXISTS (SELECT FROM memories s WHERE s.memory_id = e.source_memory AND {{visible s}}))
ORDER BY e.evidence_id

-- What is looked for a quote in.
-- name: quotable
SELECT m.content, m.version, m.audience_id, m.state = 'active' AND m.injected_by_id IS NULL AS current
FROM memories m WHERE m.memory_id = %(id)s AND {{visible m}}

-- name: cite
SELECT cite(%(items)s::jsonb)

-- name: covers
SELECT i_see_covered(%(source)s, %(destination)s) AS covered

-- What somebody said, or (as NULL) that the assistant said it.
-- name: overheard
SELECT CASE WHEN e.message_id = %(id)s THEN e.message END AS said
FROM exchanges e
WHERE (e.message_id = %(id)s OR e.answer_id = %(id)s) AND e.tenant_id = my_tenant() AND e.account_id = my_account()

-- name: looked
SELECT reverify_evidence(%(number)s, %(hash)s, %(revision)s, %(stands)s, %(gone)s, %(start)s, %(end)s) AS done

-- name: due
SELECT evidence_id, quote, quote_hash, locator, source_kind, root_kind, root, revision FROM evidence_due(%(most)s)

-- name: mark
SELECT mark_evidence(%(number)s, %(hash)s, %(revision)s, %(stands)s, %(gone)s, %(start)s, %(end)s) AS done
