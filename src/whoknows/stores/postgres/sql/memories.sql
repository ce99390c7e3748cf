-- Memories. Every read has the predicate {{visible m}} before it ranks, limits or counts.

-- name: select
SELECT m.memory_id, m.audience_id, m.content, m.title, m.category, m.subject, m.tags, m.state, m.isolation,
    m.project_id, m.session_id, m.session_ordinal, m.task_id, m.version, m.content_hash, m.created_at, m.updated_at,
    m.expires_at, m.reason, m.memory_no, m.batch_id,
    (SELECT h.memory_id FROM memories h WHERE h.memory_id = m.part_of AND {{visible h}}) AS part_of,
    EXISTS (SELECT FROM indexed i WHERE i.memory_id = m.memory_id) AS indexed,
    -- §9: a source is not what it was when the observation was computed, or not there for its readers any more.
    CASE WHEN m.category = 'observation' THEN (
        SELECT EXISTS (
            SELECT FROM observation_sources x WHERE x.observation_id = d.memory_id AND x.current AND NOT EXISTS (
                SELECT FROM memories s WHERE s.memory_id = x.source_id AND s.state = 'active' AND s.content_hash = x.content_hash
                  AND s.audience_id = m.audience_id AND {{visible s}}))
        FROM observations d WHERE d.memory_id = m.memory_id) END AS stale,
    -- P1: of what it is a copy is for those who may read the original.
    CASE WHEN m.origin IS NOT NULL THEN m.origin || coalesce((
        SELECT jsonb_build_object('memory_id', c.original_id, 'version', c.version, 'content_hash', c.content_hash)
        FROM copies c JOIN memories s ON s.memory_id = c.original_id WHERE c.memory_id = m.memory_id AND {{visible s}}), '{}') END AS origin,
    (SELECT s.memory_id FROM memories s WHERE s.memory_id = m.supersedes AND {{visible s}}) AS supersedes,
    (SELECT s.memory_id FROM memories s WHERE s.memory_id = m.superseded_by AND {{visible s}}) AS superseded_by,
    a.layer, a.task_id AS audience_task, a.session_id AS audience_session,
    jsonb_build_array(o.principal_id, o.kind, o.name) AS owner,
    jsonb_build_array(w.principal_id, w.kind, w.name) AS author,
    (SELECT jsonb_build_array(i.principal_id, i.kind, i.name) FROM principals i WHERE i.principal_id = m.injected_by_id) AS injected_by,
    (SELECT jsonb_agg(jsonb_build_array(r.principal_id, r.kind, r.name)) FROM principals r WHERE r.principal_id = ANY (a.readers)) AS readers,
    (SELECT jsonb_agg(jsonb_build_object('author', jsonb_build_array(p.principal_id, p.kind, p.name), 'at', x.at) ORDER BY x.at, x.author_id)
     FROM memory_authors x JOIN principals p ON p.principal_id = x.author_id
     WHERE x.memory_id = m.memory_id AND {{of_audience x}}) AS authors,
    (SELECT jsonb_agg(to_jsonb(e) - 'tenant_id' - 'memory_id' - 'audience_id' - 'added_by' ORDER BY e.evidence_id)
     FROM evidence e WHERE e.memory_id = m.memory_id AND {{of_audience e}}
       AND (e.source_memory IS NULL OR e.gone_at IS NOT NULL
            OR EXISTS (SELECT FROM memories s WHERE s.memory_id = e.source_memory AND {{visible s}}))) AS evidence,
    -- A section shows what its document overturned: heads, never each old section, nor what its own document said before.
    CASE WHEN m.supersedes IS NOT NULL OR m.part_of IS NOT NULL THEN (
        WITH RECURSIVE chain AS (
            SELECT s.memory_id, s.content, s.title, s.subject, s.superseded_at, n.reason, 1 AS depth, s.superseded_by,
                CASE WHEN m.part_of IS NOT NULL THEN n.subject END AS document
            FROM memories n JOIN memories s ON s.superseded_by = n.memory_id
            WHERE n.memory_id IN (m.memory_id, m.part_of) AND s.state = 'superseded' AND {{visible s}} AND {{visible n}}
              AND NOT EXISTS (SELECT FROM memories h WHERE h.memory_id = s.part_of AND h.superseded_by = s.superseded_by AND {{visible h}})
            UNION ALL
            SELECT s.memory_id, s.content, s.title, s.subject, s.superseded_at, n.reason, c.depth + 1, s.superseded_by, c.document
            FROM chain c JOIN memories n ON n.memory_id = c.memory_id JOIN memories s ON s.superseded_by = c.memory_id
            WHERE s.state = 'superseded' AND c.depth < 100 AND {{visible s}} AND {{visible n}}
              AND NOT EXISTS (SELECT FROM memories h WHERE h.memory_id = s.part_of AND h.superseded_by = s.superseded_by AND {{visible h}}))
        SELECT jsonb_agg(jsonb_build_object('id', c.memory_id, 'title', c.title, 'content', c.content, 'at', c.superseded_at, 'reason', coalesce(
            (SELECT o.reason FROM overturnings o WHERE o.old_id = c.memory_id AND o.new_id = c.superseded_by), c.reason))
            ORDER BY c.depth, c.title, c.memory_id)
        FROM chain c WHERE c.document IS NULL OR c.subject IS DISTINCT FROM c.document) END AS overturned,
    NOT m.embedded AS pending
FROM memories m
JOIN audiences a ON a.audience_id = m.audience_id
JOIN principals o ON o.principal_id = a.owner_id
JOIN principals w ON w.principal_id = m.author_id
WHERE {{visible m}}

-- name: by_ids
AND m.memory_id = ANY (%(ids)s::uuid[])

-- The chain of supersession that a memory belongs to: up to its current end, then down, through what the reader may see. A section
-- that has none of its own has that of its document.
-- name: chain
WITH RECURSIVE up AS (
    SELECT m.memory_id, m.superseded_by, 0 AS depth FROM memories m
    WHERE {{visible m}} AND m.memory_id = coalesce(
        (SELECT h.memory_id FROM memories s JOIN memories h ON h.memory_id = s.part_of
         WHERE s.memory_id = %(id)s AND s.supersedes IS NULL AND {{visible s}} AND {{visible h}}
           AND (s.superseded_by IS NULL OR s.superseded_by IS NOT DISTINCT FROM h.superseded_by)), %(id)s)
    UNION ALL
    SELECT m.memory_id, m.superseded_by, u.depth + 1 FROM up u JOIN memories m ON m.memory_id = u.superseded_by
    WHERE u.depth < 1000 AND {{visible m}}),
down AS (
    SELECT memory_id, 0 AS depth FROM (SELECT memory_id FROM up ORDER BY depth DESC LIMIT 1) top
    UNION ALL
    SELECT m.memory_id, d.depth + 1 FROM down d JOIN memories m ON m.superseded_by = d.memory_id
    WHERE d.depth < 1000 AND {{visible m}}
      AND NOT EXISTS (SELECT FROM memories h WHERE h.memory_id = m.part_of AND h.superseded_by = m.superseded_by AND {{visible h}}))
SELECT memory_id FROM down ORDER BY depth, memory_id

-- One page, audience by audience, along the index of each: what is hidden is not read, however much of it is newer.
-- name: newest
SELECT n.memory_id FROM audiences a CROSS JOIN LATERAL (
    SELECT m.memory_id FROM memories m
    WHERE m.audience_id = a.audience_id AND {{visible m}} AND {{filtered m}}
      AND (%(before)s::uuid IS NULL OR m.memory_id < %(before)s::uuid)
    ORDER BY m.memory_id DESC LIMIT %(limit)s) n
WHERE {{of_audience a}} AND (%(layer)s::text IS NULL OR a.layer = %(layer)s)
ORDER BY n.memory_id DESC LIMIT %(limit)s

-- Of the newest of each audience: to choose from, and not a census.
-- name: projects
SELECT n.project_id FROM audiences a CROSS JOIN LATERAL (
    SELECT m.project_id FROM memories m WHERE m.audience_id = a.audience_id AND {{visible m}}
    ORDER BY m.memory_id DESC LIMIT 200) n
WHERE {{of_audience a}} AND n.project_id IS NOT NULL GROUP BY n.project_id ORDER BY n.project_id LIMIT 100

-- How long such a list is, and the rows at which its parts end.
-- name: outline
SELECT count(*) AS n, coalesce(array_agg(l.memory_id ORDER BY l.place) FILTER (WHERE mod(l.place, %(every)s) = 0), '{}') AS marks
FROM (SELECT m.memory_id, row_number() OVER (ORDER BY m.memory_id DESC) AS place
      FROM memories m JOIN audiences a ON a.audience_id = m.audience_id
      WHERE {{visible m}} AND {{filtered m}} AND (%(layer)s::text IS NULL OR a.layer = %(layer)s)) l

-- name: inhabited
SELECT a.audience_id, a.layer, a.task_id, a.session_id, jsonb_build_array(o.principal_id, o.kind, o.name) AS owner,
    (SELECT jsonb_agg(jsonb_build_array(r.principal_id, r.kind, r.name)) FROM principals r WHERE r.principal_id = ANY (a.readers)) AS readers
FROM audiences a JOIN principals o ON o.principal_id = a.owner_id
WHERE {{of_audience a}} AND (%(layer)s::text IS NULL OR a.layer = %(layer)s)
  AND EXISTS (SELECT FROM memories m WHERE m.audience_id = a.audience_id AND {{visible m}} AND {{filtered m}})

-- name: deletable
SELECT m.memory_id FROM memories m JOIN audiences a ON a.audience_id = m.audience_id
WHERE {{visible m}} AND {{filtered m}} AND (%(layer)s::text IS NULL OR a.layer = %(layer)s)
  AND i_may_change(m.audience_id, m.author_id, m.memory_id)

-- name: history
SELECT v.memory_id, v.version, v.content, v.title, v.category, v.tags, v.change, v.reason, v.changed_at, m.state,
    jsonb_build_array(p.principal_id, p.kind, p.name) AS changed_by
FROM versions v JOIN memories m ON m.memory_id = v.memory_id JOIN principals p ON p.principal_id = v.changed_by
WHERE v.memory_id = %(id)s AND {{visible m}} AND {{of_audience v}}
  AND (NOT v.held OR v.changed_by = %(reader)s OR v.audience_id = ANY (%(reviews)s::int[]))
ORDER BY v.version DESC

-- name: duplicates
SELECT m.memory_id, m.audience_id, m.dedupe_key, m.dedupe_author, m.project_id, m.session_id, m.expires_at
FROM memories m
WHERE m.audience_id = ANY (%(in)s::int[]) AND m.dedupe_key = ANY (%(keys)s::bytea[])
  AND m.state = 'active' AND m.origin IS NULL AND m.injected_by_id IS NULL AND {{visible m}}

-- What is current on a subject. Copies are nobody's statement.
-- name: current_on
SELECT m.memory_id FROM memories m
WHERE m.audience_id = %(audience)s AND m.subject = %(subject)s AND m.state = 'active'
  AND m.project_id IS NOT DISTINCT FROM %(project_id)s AND m.session_id IS NOT DISTINCT FROM %(session_id)s
  AND m.origin IS NULL AND m.injected_by_id IS NULL AND {{visible m}}
ORDER BY m.memory_id DESC LIMIT 100

-- The nearest of one audience by their best passage, exactly, among the newest: a write costs as much whatever is there.
-- name: near
SELECT m.memory_id, max(n.similarity) AS similarity FROM (
    SELECT q.memory_no, -((q.embedding <#> %(vector)s::halfvec) + 0) AS similarity FROM (
        SELECT p.memory_no, p.embedding FROM passages p WHERE p.live AND p.audience_id = %(audience)s AND {{in_scope p}}
        ORDER BY p.memory_no DESC LIMIT %(newest)s) q
    ORDER BY similarity DESC LIMIT %(rows)s) n
JOIN memories m ON m.memory_no = n.memory_no
WHERE m.state = 'active' AND {{visible m}}
GROUP BY m.memory_id ORDER BY similarity DESC, m.memory_id LIMIT %(limit)s

-- name: now
SELECT now()

-- name: audience
SELECT intern_audience(%(layer)s, %(owner)s, %(readers)s::int[], %(task)s, %(session)s) AS audience_id

-- name: ordinals
SELECT next_ordinal(%(audience)s, %(author)s, %(session)s) AS ordinal

-- name: insert
INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, title, category, subject, tags, isolation,
    project_id, session_id, session_ordinal, task_id, state, supersedes, reason, content_hash, dedupe_key, dedupe_author, expires_at,
    wide, embedded, part_of, batch_id)
VALUES (my_tenant(), %(id)s, %(audience)s, %(author)s, %(content)s, %(title)s, %(category)s, %(subject)s, %(tags)s, %(isolation)s,
    %(project_id)s, %(session_id)s, %(ordinal)s, %(task_id)s, %(state)s, %(supersedes)s, %(reason)s, %(content_hash)s,
    %(dedupe_key)s, %(dedupe_author)s, %(expires_at)s, %(wide)s, NOT %(pending)s, %(part_of)s, %(batch)s)

-- name: insert_author
INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id)
SELECT my_tenant(), n.memory_id, n.audience_id, n.author_id
FROM unnest(%(ids)s::uuid[], %(audiences)s::int[], %(authors)s::int[]) n(memory_id, audience_id, author_id) ON CONFLICT DO NOTHING

-- name: insert_version
INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, subject, changed_by, change, reason)
SELECT m.tenant_id, m.memory_id, m.version, m.audience_id, m.content, m.title, m.category, m.tags, m.subject, (SELECT my_actor()), %(change)s, n.reason
FROM unnest(%(ids)s::uuid[], %(reasons)s::text[]) n(memory_id, reason) JOIN memories m ON m.memory_id = n.memory_id

-- name: index
SELECT index_memory(%(id)s, %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s)

-- name: edit
UPDATE memories m SET content = %(content)s, title = %(title)s, category = %(category)s, subject = %(subject)s, tags = %(tags)s,
    expires_at = %(expires_at)s, reason = %(reason)s, content_hash = %(content_hash)s, dedupe_key = %(dedupe_key)s,
    version = m.version + 1, updated_at = now(), wide = %(wide)s, embedded = NOT %(pending)s AND (m.embedded OR %(reindex)s)
WHERE m.memory_id = %(id)s AND m.version = %(version)s AND m.state IN ('active', 'held', 'archived') AND {{visible m}}

-- name: hold
SELECT hold(%(id)s, %(words)s) AS audience_id

-- name: supersede
SELECT supersede(%(old)s, %(new)s, %(reason)s) AS done

-- name: overturn
SELECT overturn(%(old)s, %(new)s, %(reason)s) AS done

-- name: set_state
SELECT set_state(%(id)s, %(state)s) AS done

-- name: share
SELECT share(%(id)s, %(reader)s, %(given)s) AS done

-- name: forget
SELECT deleted, released, copied FROM forget(%(ids)s::uuid[], %(version)s)
