-- Observations, as requests read them: each memory under {{visible m}}, and so is each of their sources.

-- name: select
SELECT d.memory_id, d.made, d.gathered, d.computed_at,
    (SELECT jsonb_agg(jsonb_build_array(x.source_id, x.version, x.stated, CASE
            WHEN s.memory_id IS NULL THEN 'gone'
            WHEN s.state <> 'active' THEN s.state
            WHEN s.audience_id <> m.audience_id THEN 'moved'
            WHEN s.content_hash <> x.content_hash THEN 'edited' END) ORDER BY x.stated DESC, x.source_id)
     FROM observation_sources x LEFT JOIN memories s ON s.memory_id = x.source_id AND {{visible s}}
     WHERE x.observation_id = d.memory_id AND x.current) AS sources
FROM memories m JOIN observations d ON d.memory_id = m.memory_id
WHERE {{visible m}}

-- name: by_ids
AND m.memory_id = ANY (%(ids)s::uuid[])

-- One page, audience by audience, along the index of each.
-- name: newest
SELECT n.memory_id FROM audiences a CROSS JOIN LATERAL (
    SELECT m.memory_id FROM memories m JOIN observations d ON d.memory_id = m.memory_id
    WHERE m.audience_id = a.audience_id AND m.category = 'observation' AND m.state IN ('active', 'held') AND {{visible m}}
      AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s)
      AND (%(stale)s::boolean IS NULL OR %(stale)s = EXISTS (
          SELECT FROM observation_sources x WHERE x.observation_id = m.memory_id AND x.current AND NOT EXISTS (
              SELECT FROM memories s WHERE s.memory_id = x.source_id AND s.state = 'active' AND s.content_hash = x.content_hash
                AND s.audience_id = m.audience_id AND {{visible s}})))
      AND (%(before)s::uuid IS NULL OR m.memory_id < %(before)s::uuid)
    ORDER BY m.memory_id DESC LIMIT %(limit)s) n
WHERE {{of_audience a}} AND (%(owners)s::int[] = '{}' OR a.owner_id = ANY (%(owners)s::int[]))
ORDER BY n.memory_id DESC LIMIT %(limit)s

-- name: of_exactly
SELECT m.memory_id FROM memories m JOIN observations d ON d.memory_id = m.memory_id
WHERE {{visible m}} AND d.gathered = 'listed' AND m.state IN ('active', 'held')
  AND CASE WHEN %(hash)s::text IS NULL THEN d.made = 'extractive' ELSE m.content_hash = %(hash)s END
  AND m.memory_id IN (SELECT x.observation_id FROM observation_sources x WHERE x.source_id = %(first)s AND x.current)
  AND %(ids)s::uuid[] = (SELECT array_agg(x.source_id ORDER BY x.source_id) FROM observation_sources x
                         WHERE x.observation_id = m.memory_id AND x.current)
ORDER BY m.memory_id LIMIT 1

-- name: statements
SELECT m.memory_id, m.audience_id, m.project_id, m.content, m.title, m.version, m.content_hash,
    (SELECT (array_agg(p.embedding))[1]::real[] FROM passages p WHERE p.memory_no = m.memory_no AND {{in_scope p}}
     HAVING count(*) = 1) AS vector
FROM memories m WHERE m.memory_id = ANY (%(ids)s::uuid[]) AND may_be_observed(m) AND {{visible m}}

-- name: seeds
SELECT n.memory_id FROM audiences a CROSS JOIN LATERAL (
    SELECT m.memory_id FROM memories m
    WHERE m.audience_id = a.audience_id AND may_be_observed(m) AND {{visible m}}
      AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s)
      AND (%(before)s::uuid IS NULL OR m.memory_id < %(before)s::uuid)
      AND NOT EXISTS (SELECT FROM observation_sources x JOIN observations d ON d.memory_id = x.observation_id
                      WHERE x.source_id = m.memory_id AND x.current AND d.gathered = 'near')
    ORDER BY m.memory_id DESC LIMIT %(limit)s) n
WHERE {{of_audience a}} AND a.owner_id = ANY (%(owners)s::int[]) AND i_may_write_audience(a.audience_id)
ORDER BY n.memory_id DESC LIMIT %(limit)s

-- Exactly, within the audience and project of the seed: statements of one passage alone. What is not near is sorted out by its vector
-- before anything else is asked of it.
-- name: around
SELECT m.memory_id, m.audience_id, m.project_id, m.content, m.title, m.version, m.content_hash, n.embedding::real[] AS vector
FROM memories g JOIN passages q ON q.memory_no = g.memory_no
CROSS JOIN LATERAL (
    SELECT p.memory_no, p.embedding, (p.embedding <#> q.embedding) + 0 AS distance FROM passages p
    WHERE p.audience_id = g.audience_id AND p.live AND (p.embedding <#> q.embedding) + 0 <= -%(least)s::float8 AND {{in_scope p}} OFFSET 0) n
JOIN memories m ON m.memory_no = n.memory_no
WHERE g.memory_id = %(id)s AND may_be_observed(g) AND {{visible g}} AND {{in_scope q}} AND {{visible m}}
  AND m.project_id IS NOT DISTINCT FROM g.project_id AND may_be_observed(m)
  AND NOT EXISTS (SELECT FROM passages r WHERE r.memory_no IN (g.memory_no, m.memory_no) AND r.passage_no > 1 AND {{in_scope r}})
ORDER BY m.memory_id <> g.memory_id, n.distance, m.memory_id LIMIT %(most)s

-- name: resting_on
SELECT x.source_id, m.memory_id FROM observation_sources x JOIN observations d ON d.memory_id = x.observation_id
JOIN memories m ON m.memory_id = d.memory_id
WHERE x.source_id = ANY (%(ids)s::uuid[]) AND x.current AND d.gathered = 'near' AND {{visible m}}

-- name: resting
SELECT m.memory_id, m.version, m.audience_id, m.content, d.made, d.gathered,
    ARRAY(SELECT x.source_id FROM observation_sources x WHERE x.observation_id = m.memory_id AND x.current) AS sources,
    (SELECT x.source_id FROM observation_sources x WHERE x.observation_id = m.memory_id AND x.current AND x.stated) AS stated,
    (SELECT jsonb_agg(jsonb_build_array(e.locator, e.quote)) FROM evidence e
     WHERE e.memory_id = m.memory_id AND e.quote IS NOT NULL AND {{of_audience e}}) AS quotes
FROM memories m JOIN observations d ON d.memory_id = m.memory_id
WHERE m.memory_id = %(id)s AND m.state IN ('active', 'held') AND {{visible m}}

-- name: gate
SELECT o.gate, jsonb_build_array(o.principal_id, o.kind, o.name) AS owner
FROM audiences a JOIN principals o ON o.principal_id = a.owner_id WHERE a.audience_id = %(audience)s AND {{of_audience a}}

-- name: observe
SELECT observe(%(id)s, %(audience)s, %(own)s, %(sources)s::uuid[], %(hashes)s::text[], %(stated)s, %(words)s, %(cited)s,
    %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s, %(state)s, %(made)s, %(gathered)s) AS done

-- name: recompute
SELECT recompute(%(id)s, %(version)s, %(sources)s::uuid[], %(hashes)s::text[], %(stated)s, %(words)s, %(cited)s,
    %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s, %(state)s, %(made)s) AS done

-- name: retire
SELECT retire(%(id)s, %(version)s) AS done
