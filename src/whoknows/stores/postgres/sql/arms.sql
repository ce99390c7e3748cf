-- The two arms. The predicate {{in_scope p}} stands in each before anything is ranked or limited.

-- How many texts are in sight, and their mean length: with which every word is weighed.
-- name: sight
SELECT count(*)::int AS visible, coalesce(sum(d.length)::float8 / nullif(count(*), 0), 0) AS mean_length
FROM documents d WHERE d.live AND {{in_scope d}}

-- The occurrences of each term, packed: (memory), (length << 16 | frequency). BM25 is computed from them exactly.
-- name: postings
SELECT p.term, array_agg(p.memory_no) AS memories, array_agg(least(p.length, 32767) << 16 | p.frequency) AS occurrences
FROM postings p WHERE p.term = ANY (%(terms)s::bigint[]) AND {{in_scope p}}
GROUP BY p.audience_id, p.term

-- Whether the filters take anything away, which a project and none do not for who works in one alone; how many memories they
-- leave, counted no further than `most`; and which, where they are fewer. Of a project from an index alone, from both sides of it.
-- Term statistics stay those of all that is in sight.
-- name: left_of_project
SELECT n.narrows, l.held, l.numbers FROM (
    SELECT NOT %(or_global)s OR EXISTS (
        SELECT FROM unnest(%(audiences)s::int[]) a(audience_id) CROSS JOIN LATERAL (
            SELECT e.project_id FROM memories e
            WHERE e.audience_id = a.audience_id AND e.project_id > %(project_id)s AND e.state = 'active' AND {{visible e}}
            ORDER BY e.project_id LIMIT 1) above)
        OR EXISTS (
        SELECT FROM unnest(%(audiences)s::int[]) a(audience_id) CROSS JOIN LATERAL (
            SELECT e.project_id FROM memories e
            WHERE e.audience_id = a.audience_id AND e.project_id < %(project_id)s AND e.state = 'active' AND {{visible e}}
            ORDER BY e.project_id DESC LIMIT 1) below) AS narrows) n
CROSS JOIN LATERAL (
    SELECT count(*) AS held, CASE WHEN count(*) < %(most)s::bigint THEN coalesce(array_agg(b.memory_no), '{}') END AS numbers FROM (
        SELECT m.memory_no FROM memories m
        WHERE n.narrows AND m.project_id = %(project_id)s AND m.state = 'active' AND {{visible m}}
        UNION ALL
        SELECT g.memory_no FROM memories g
        WHERE n.narrows AND %(or_global)s AND g.project_id IS NULL AND g.state = 'active' AND {{visible g}}
        LIMIT %(most)s::bigint) b) l

-- The same by any filters, from the rows themselves.
-- name: left_by_filters
SELECT true AS narrows, count(*) AS held,
    CASE WHEN count(*) < %(most)s::bigint THEN coalesce(array_agg(b.memory_no), '{}') END AS numbers
FROM (SELECT m.memory_no FROM memories m WHERE m.state = 'active' AND {{visible m}} AND {{left m}} LIMIT %(most)s::bigint) b

-- Which of some memories the filters leave.
-- name: left_of_these
SELECT coalesce(array_agg(m.memory_no), '{}') AS numbers FROM memories m WHERE m.memory_no = ANY (%(nos)s::bigint[]) AND {{visible m}} AND {{left m}}

-- The nearest memories by their best passage, exactly: `+ 0` keeps an index over all vectors out of it.
-- name: nearest
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, (p.embedding <#> %(vector)s::halfvec) + 0 AS distance
    FROM passages p WHERE p.live AND {{in_scope p}} ORDER BY distance LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- The same of what the filters leave, by its numbers: an index condition, whoever plans it.
-- name: nearest_of_these
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, (p.embedding <#> %(vector)s::halfvec) + 0 AS distance
    FROM passages p WHERE p.live AND p.memory_no = ANY (%(numbers)s::bigint[]) AND {{in_scope p}}
    ORDER BY distance LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- Through HNSW, for readers who see a large share of everything. The index brings its nearest of all; where too few of them may
-- be seen, they say little about the nearest of those that may, and `passages` tells so.
-- name: nearest_hnsw
SELECT memory_no, -min(distance) AS similarity, (sum(count(*)) OVER ())::int AS passages FROM (
    SELECT p.memory_no, p.embedding <#> %(vector)s::halfvec AS distance
    FROM passages p WHERE p.live AND {{in_scope p}}
    ORDER BY p.embedding <#> %(vector)s::halfvec LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- The same of what the filters leave: each row is looked at as it comes, so that nobody has to know all of them.
-- name: nearest_hnsw_left
SELECT memory_no, -min(distance) AS similarity, (sum(count(*)) OVER ())::int AS passages FROM (
    SELECT p.memory_no, p.embedding <#> %(vector)s::halfvec AS distance
    FROM passages p CROSS JOIN LATERAL (
        SELECT FROM memories m WHERE m.memory_no = p.memory_no AND {{visible m}} AND {{left m}} OFFSET 0) left_over
    WHERE p.live AND {{in_scope p}}
    ORDER BY p.embedding <#> %(vector)s::halfvec LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- One look, and no further one: where it is not enough, an exact search is quicker than to walk on.
-- name: hnsw_settings
SELECT set_config('enable_sort', 'off', true), set_config('hnsw.iterative_scan', 'off', true),
    set_config('hnsw.ef_search', %(look)s, true)

-- name: hnsw_over
SELECT set_config('enable_sort', 'on', true)

-- A plan for any parameters, made once for a connection: to plan with them takes longer than to search.
-- name: plan_once
SELECT set_config('plan_cache_mode', 'force_generic_plan', true)

-- name: hnsw_rows
SELECT c.reltuples::bigint AS rows FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indexrelid = to_regclass('whoknows.passages_hnsw') AND i.indisvalid

-- What was overturned is no hit and in no statistics, but what it says leads to what holds instead, as far as the reader may see
-- both. Where both have the same subject they are one document, whose former words lead nowhere.
-- name: former
WITH RECURSIVE leads AS (
    SELECT o.old_id, n.memory_id, n.memory_no, n.state, n.superseded_by, 1 AS depth
    FROM overturnings o JOIN memories s ON s.memory_id = o.old_id JOIN memories n ON n.memory_id = o.new_id
    WHERE {{of_audience o}} AND s.state = 'superseded' AND s.superseded_by = n.memory_id AND (s.subject IS NULL OR s.subject IS DISTINCT FROM n.subject)
      AND {{visible s}} AND {{visible n}}
    UNION ALL
    SELECT l.old_id, n.memory_id, n.memory_no, n.state, n.superseded_by, l.depth + 1
    FROM leads l JOIN memories n ON n.memory_id = l.superseded_by
    WHERE l.depth < 100 AND {{visible n}})
SELECT f.memory_id, f.leads_to, f.leads_no, f.wide, f.length, w.terms, w.frequencies, v.similarity FROM (
    SELECT s.memory_id, s.memory_no, s.wide, l.memory_id AS leads_to, l.memory_no AS leads_no, d.length, d.terms, d.frequencies
    FROM leads l CROSS JOIN LATERAL (
        SELECT h.* FROM memories h WHERE h.memory_id = l.old_id AND {{visible h}}
        UNION ALL SELECT c.* FROM memories c WHERE c.part_of = l.old_id AND {{visible c}}) s
    JOIN documents d ON d.memory_no = s.memory_no
    WHERE l.state = 'active' AND s.state = 'superseded' AND {{in_scope d}}
      AND EXISTS (SELECT FROM memories k WHERE k.memory_no = l.memory_no AND {{visible k}} AND {{left k}})) f
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(t.term), '{}') AS terms, coalesce(array_agg(t.frequency::int), '{}') AS frequencies
    FROM unnest(f.terms, f.frequencies) t(term, frequency) WHERE t.term = ANY (%(terms)s::bigint[])) w
CROSS JOIN LATERAL (
    SELECT -min((p.embedding <#> %(vector)s::halfvec) + 0) AS similarity
    FROM passages p WHERE p.memory_no = f.memory_no AND {{in_scope p}}) v
ORDER BY v.similarity DESC NULLS LAST, f.memory_id LIMIT %(limit)s

-- name: cards
SELECT m.memory_no, m.memory_id, m.created_at, m.session_ordinal, m.wide, m.embedded, m.project_id, m.audience_id,
    CASE WHEN m.session_id IS NOT NULL THEN m.audience_id || '/' || m.author_id || '/' || m.session_id END AS session
FROM memories m WHERE m.memory_no = ANY (%(nos)s::bigint[]) AND {{visible m}}
