-- Proposals: experiences of the reader's scope, and what was decided about them.

-- Nothing of a session or a task, no copy, and of some project: what `may_be_observed` says, and a vector of one passage.
-- name: experiences
WITH found AS (
SELECT m.memory_id, m.audience_id, m.project_id, m.content, m.title, m.version, m.content_hash, p.embedding,
    m.category, m.created_at, m.session_id, m.batch_id, jsonb_build_array(w.principal_id, w.kind, w.name) AS author,
    ARRAY(SELECT e.locator FROM evidence e WHERE e.memory_id = m.memory_id AND e.source_kind = 'message' AND {{of_audience e}}) AS messages
FROM memories m JOIN passages p ON p.memory_no = m.memory_no JOIN principals w ON w.principal_id = m.author_id
WHERE m.category = ANY (%(categories)s::text[]) AND m.project_id IS NOT NULL AND may_be_observed(m) AND {{visible m}} AND {{in_scope p}}
  AND NOT EXISTS (SELECT FROM passages r WHERE r.memory_no = m.memory_no AND r.passage_no > 1 AND {{in_scope r}})
ORDER BY m.memory_id DESC LIMIT %(most)s)
SELECT f.memory_id, f.audience_id, f.project_id, f.content, f.title, f.version, f.content_hash, f.embedding::real[] AS vector,
    f.category, f.created_at, f.session_id, f.batch_id, f.author, f.messages,
    ARRAY(SELECT o.memory_id FROM found o WHERE o.memory_id <> f.memory_id AND (o.embedding <#> f.embedding) <= -%(least)s::float8) AS near
FROM found f

-- name: decisions
SELECT d.proposal_id, d.state, d.sources, d.decided_at, d.reason, r.repository, r.path, r.branch, r.commit_hash,
    jsonb_build_array(w.principal_id, w.kind, w.name) AS decided_by
FROM proposals d JOIN principals w ON w.principal_id = d.decided_by
LEFT JOIN LATERAL written_to(d.proposal_id) r ON true
WHERE d.tenant_id = %(tenant)s AND (d.decided_by = %(reader)s OR cardinality(d.sources) = (
    SELECT count(*) FROM memories m WHERE m.memory_id = ANY (d.sources) AND {{visible m}}))
  AND (%(id)s::uuid IS NULL OR d.proposal_id = %(id)s)
ORDER BY d.decided_at DESC, d.proposal_id LIMIT 1000

-- name: writable
SELECT bool_and(i_may_write_audience(a)) AS all_of_them FROM unnest(%(ids)s::int[]) a

-- name: reserve
SELECT reserve_proposal(%(id)s, %(sources)s::uuid[], %(source)s, %(path)s, %(branch)s)

-- name: reject
SELECT reject_proposal(%(id)s, %(sources)s::uuid[], %(reason)s)

-- name: settle
SELECT settle_proposal(%(id)s, %(commit)s)
