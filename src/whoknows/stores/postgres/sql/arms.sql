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

-- Which memories the filters leave. Term statistics stay those of all that is in sight.
-- name: allowed
SELECT coalesce(array_agg(m.memory_no), '{}') AS allowed FROM memories m WHERE {{visible m}}
AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s OR (%(or_global)s AND m.project_id IS NULL))
AND (%(general)s::boolean IS NULL OR (m.project_id IS NULL) = %(general)s)
AND (%(category)s::text IS NULL OR m.category = %(category)s)
AND (%(tags)s::text[] = '{}' OR m.tags @> %(tags)s::text[])

-- The nearest memories by their best passage, exactly: `+ 0` keeps an index over all vectors out of it.
-- name: nearest
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, (p.embedding <#> %(vector)s::halfvec) + 0 AS distance
    FROM passages p WHERE p.live AND {{in_scope p}} ORDER BY distance LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- name: nearest_allowed
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, (p.embedding <#> %(vector)s::halfvec) + 0 AS distance
    FROM passages p WHERE p.live AND p.memory_no = ANY (%(allowed)s::bigint[]) AND {{in_scope p}}
    ORDER BY distance LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- The same through HNSW, for readers who see a large share of everything.
-- name: nearest_hnsw
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, p.embedding <#> %(vector)s::halfvec AS distance
    FROM passages p WHERE p.live AND {{in_scope p}} ORDER BY p.embedding <#> %(vector)s::halfvec LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- name: hnsw_settings
SELECT set_config('enable_sort', 'off', true), set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('hnsw.ef_search', '800', true), set_config('hnsw.max_scan_tuples', '200000', true)

-- name: hnsw_rows
SELECT c.reltuples::bigint AS rows FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indexrelid = to_regclass('whoknows.passages_hnsw') AND i.indisvalid

-- name: cards
SELECT m.memory_no, m.memory_id, m.created_at, m.session_ordinal, m.wide, m.embedded, m.project_id, m.audience_id,
    CASE WHEN m.session_id IS NOT NULL THEN m.audience_id || '/' || m.author_id || '/' || m.session_id END AS session
FROM memories m WHERE m.memory_no = ANY (%(nos)s::bigint[]) AND {{visible m}}
