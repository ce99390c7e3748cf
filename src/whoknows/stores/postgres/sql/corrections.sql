-- Corrections: seen by their audience; the memories that they name, by who may see those.

-- name: select
SELECT c.correction_id, c.audience_id, c.text, c.subject, c.project_id, c.harness, c.about AS about_key, c.at, c.recorded_at, a.layer,
    c.embedding IS NOT NULL AS measured,
    jsonb_build_array(o.principal_id, o.kind, o.name) AS owner, jsonb_build_array(w.principal_id, w.kind, w.name) AS author,
    (SELECT s.memory_id FROM memories s WHERE s.memory_id = c.about AND {{visible s}}) AS about,
    (SELECT s.memory_id FROM memories s WHERE s.memory_id = c.memory_id AND {{visible s}}) AS memory
FROM corrections c
JOIN audiences a ON a.audience_id = c.audience_id
JOIN principals o ON o.principal_id = a.owner_id
JOIN principals w ON w.principal_id = c.author_id
WHERE {{of_audience c}}

-- name: by_id
AND c.correction_id = %(id)s

-- name: newest
AND (%(project)s::text IS NULL OR c.project_id = %(project)s) AND (%(before)s::uuid IS NULL OR c.correction_id < %(before)s::uuid)
ORDER BY c.correction_id DESC LIMIT %(limit)s

-- name: between
AND c.at >= %(begin)s AND c.at < %(end)s AND (%(project)s::text IS NULL OR c.project_id = %(project)s)
ORDER BY c.at DESC, c.correction_id DESC LIMIT %(limit)s

-- name: near
SELECT c.correction_id AS first, d.correction_id AS second, c.embedding <=> d.embedding AS distance FROM corrections c
JOIN corrections d ON d.audience_id = c.audience_id AND d.correction_id > c.correction_id
WHERE c.correction_id = ANY (%(ids)s::uuid[]) AND d.correction_id = ANY (%(ids)s::uuid[])
  AND c.embedding <=> d.embedding <= %(most)s AND {{of_audience c}} AND {{of_audience d}}

-- name: record
SELECT record_correction(%(id)s, %(audience)s, %(text)s, %(vector)s::halfvec, %(subject)s, %(project)s, %(harness)s, %(about)s,
    %(memory)s, %(at)s)

-- name: forget
SELECT forget_correction(%(id)s) AS done
