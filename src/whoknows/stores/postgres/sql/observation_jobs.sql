-- The upkeep of observations, as the jobs role: over all tenants, each statement within one audience.

-- name: due
SELECT c.memory_id FROM observation_candidates c JOIN memories m ON m.memory_id = c.memory_id
WHERE c.since <= now() - %(settled)s::interval AND (m.embedded OR NOT may_be_observed(m))
ORDER BY c.since LIMIT %(most)s

-- name: looked_at
DELETE FROM observation_candidates WHERE memory_id = ANY (%(ids)s::uuid[])

-- name: suspects
SELECT d.memory_id FROM observations d JOIN memories m ON m.memory_id = d.memory_id
WHERE d.suspect AND m.state IN ('active', 'held') LIMIT %(most)s

-- name: unsuspect
UPDATE observations SET suspect = false WHERE memory_id = %(id)s

-- name: remakes
SELECT observation_id, gathered, sources FROM observation_remakes ORDER BY since LIMIT %(most)s

-- name: remade
DELETE FROM observation_remakes WHERE observation_id = %(id)s

-- name: statements
SELECT m.memory_id, m.audience_id, m.project_id, m.content, m.title, m.version, m.content_hash,
    (SELECT (array_agg(p.embedding))[1]::real[] FROM passages p WHERE p.memory_no = m.memory_no HAVING count(*) = 1) AS vector
FROM memories m WHERE m.memory_id = ANY (%(ids)s::uuid[]) AND may_be_observed(m)

-- name: around
SELECT m.memory_id, m.audience_id, m.project_id, m.content, m.title, m.version, m.content_hash, n.embedding::real[] AS vector
FROM memories g JOIN passages q ON q.memory_no = g.memory_no
CROSS JOIN LATERAL (
    SELECT p.memory_no, p.embedding, (p.embedding <#> q.embedding) + 0 AS distance FROM passages p
    WHERE p.audience_id = g.audience_id AND p.live AND (p.embedding <#> q.embedding) + 0 <= -%(least)s::float8 OFFSET 0) n
JOIN memories m ON m.memory_no = n.memory_no
WHERE g.memory_id = %(id)s AND may_be_observed(g) AND m.project_id IS NOT DISTINCT FROM g.project_id AND may_be_observed(m)
  AND NOT EXISTS (SELECT FROM passages r WHERE r.memory_no IN (g.memory_no, m.memory_no) AND r.passage_no > 1)
ORDER BY m.memory_id <> g.memory_id, n.distance, m.memory_id LIMIT %(most)s

-- name: resting_on
SELECT x.source_id, d.memory_id FROM observation_sources x JOIN observations d ON d.memory_id = x.observation_id
WHERE x.source_id = ANY (%(ids)s::uuid[]) AND x.current AND d.gathered = 'near'

-- name: resting
SELECT m.memory_id, m.version, m.audience_id, m.content, d.made, d.gathered,
    ARRAY(SELECT x.source_id FROM observation_sources x WHERE x.observation_id = m.memory_id AND x.current) AS sources,
    (SELECT x.source_id FROM observation_sources x WHERE x.observation_id = m.memory_id AND x.current AND x.stated) AS stated,
    (SELECT jsonb_agg(jsonb_build_array(e.locator, e.quote)) FROM evidence e
     WHERE e.memory_id = m.memory_id AND e.quote IS NOT NULL) AS quotes
FROM memories m JOIN observations d ON d.memory_id = m.memory_id WHERE m.memory_id = %(id)s AND m.state IN ('active', 'held')

-- name: gate
SELECT o.gate, jsonb_build_array(o.principal_id, o.kind, o.name) AS owner
FROM audiences a JOIN principals o ON o.principal_id = a.owner_id WHERE a.audience_id = %(audience)s

-- name: put
SELECT put_observation(%(id)s, %(audience)s, NULL, %(sources)s::uuid[], %(hashes)s::text[], %(stated)s, %(words)s, %(cited)s,
    %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s, %(state)s, %(made)s, %(gathered)s) AS done

-- name: put_again
SELECT put_again(%(id)s, %(version)s, %(sources)s::uuid[], %(hashes)s::text[], %(stated)s, %(words)s, %(cited)s,
    %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s, %(state)s, %(made)s) AS done

-- name: retire
SELECT retire_observation(%(id)s, %(version)s) AS done
