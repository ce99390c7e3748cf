-- What a context is put together from. Every block over memories has {{visible m}} before it ranks or limits.

-- The uses of one reader lie in the order of time in their index: as many are read as have a place.
-- name: recent
SELECT n.memory_id, n.audience_id, n.project_id, n.tags, n.last_used
FROM unnest(%(readers)s::int[]) r(reader_id) CROSS JOIN LATERAL (
    SELECT m.memory_id, m.audience_id, m.project_id, m.tags, u.last_used
    FROM memory_uses u JOIN memories m ON m.memory_id = u.memory_id
    WHERE u.reader_id = r.reader_id AND m.state = 'active' AND {{visible m}}
      AND (m.project_id IS NULL OR m.project_id = %(project)s)
    ORDER BY u.last_used DESC, u.memory_id DESC LIMIT %(limit)s) n
ORDER BY n.last_used DESC, n.memory_id DESC LIMIT %(limit)s

-- name: tagged
SELECT m.memory_id, m.audience_id, m.project_id, m.tags, NULL::timestamptz AS last_used
FROM memories m
WHERE m.tags <> '{}' AND m.state = 'active' AND {{visible m}} AND (m.project_id IS NULL OR m.project_id = %(project)s)
  AND EXISTS (SELECT FROM unnest(m.tags) t WHERE strpos(%(words)s, lower(t)) > 0)
ORDER BY m.memory_id DESC LIMIT %(limit)s

-- name: newest
SELECT n.memory_id, n.audience_id, n.project_id, n.tags, NULL::timestamptz AS last_used
FROM audiences a CROSS JOIN LATERAL (
    SELECT m.memory_id, m.audience_id, m.project_id, m.tags FROM memories m
    WHERE m.audience_id = a.audience_id AND m.state = 'active' AND {{visible m}}
      AND CASE WHEN %(general)s THEN m.project_id IS NULL ELSE m.project_id = %(project)s END
    ORDER BY m.memory_id DESC LIMIT %(limit)s) n
WHERE {{of_audience a}} ORDER BY n.memory_id DESC LIMIT %(limit)s

-- name: cards
SELECT m.memory_id, m.content, m.title, m.category, m.updated_at, a.layer,
    jsonb_build_array(o.principal_id, o.kind, o.name) AS owner,
    jsonb_build_array(w.principal_id, w.kind, w.name) AS author,
    (SELECT e.source_kind || ':' || e.locator FROM evidence e WHERE e.memory_id = m.memory_id AND {{of_audience e}}
     ORDER BY e.evidence_id LIMIT 1) AS locator
FROM memories m
JOIN audiences a ON a.audience_id = m.audience_id
JOIN principals o ON o.principal_id = a.owner_id
JOIN principals w ON w.principal_id = m.author_id
WHERE m.memory_id = ANY (%(ids)s::uuid[]) AND m.state = 'active' AND {{visible m}}

-- name: last_used
SELECT m.memory_id, max(u.last_used) AS last_used FROM memory_uses u JOIN memories m ON m.memory_id = u.memory_id
WHERE u.memory_id = ANY (%(ids)s::uuid[]) AND u.reader_id = ANY (%(readers)s::int[]) AND {{visible m}} GROUP BY m.memory_id

-- name: use
SELECT use_memories(%(ids)s::uuid[]) AS n
