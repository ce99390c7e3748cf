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

-- Which memories the filters leave; NULL where that is all of them, as it is of a project and of none for who works in one alone.
-- Term statistics stay those of all that is in sight.
-- name: allowed
SELECT CASE WHEN NOT %(or_global)s OR %(general)s::boolean IS NOT NULL OR %(category)s::text IS NOT NULL OR %(tags)s::text[] <> '{}'
    OR EXISTS (SELECT FROM memories e WHERE e.project_id <> %(project_id)s AND {{visible e}})
THEN (SELECT coalesce(array_agg(m.memory_no), '{}') FROM memories m WHERE {{visible m}}
    AND (%(project_id)s::text IS NULL OR m.project_id = %(project_id)s OR (%(or_global)s AND m.project_id IS NULL))
    AND (%(general)s::boolean IS NULL OR (m.project_id IS NULL) = %(general)s)
    AND (%(category)s::text IS NULL OR m.category = %(category)s)
    AND (%(tags)s::text[] = '{}' OR m.tags @> %(tags)s::text[])) END AS allowed

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

-- The same where the filters leave much of what is in sight, so that all of it is read in one go. `IS TRUE` makes a hash of the
-- numbers, whoever plans it: `= ANY` compares each with each once the plan is a generic one.
-- name: nearest_of_many
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, (p.embedding <#> %(vector)s::halfvec) + 0 AS distance
    FROM passages p WHERE p.live AND (p.memory_no IN (SELECT unnest(%(allowed)s::bigint[]))) IS TRUE AND {{in_scope p}}
    ORDER BY distance LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- The same through HNSW, for readers who see a large share of everything, of whatever the filters leave of it.
-- name: nearest_hnsw
SELECT memory_no, -min(distance) AS similarity FROM (
    SELECT p.memory_no, p.embedding <#> %(vector)s::halfvec AS distance
    FROM passages p WHERE p.live AND {{in_scope p}}
      AND (%(allowed)s::bigint[] IS NULL OR p.memory_no IN (SELECT unnest(%(allowed)s::bigint[])))
    ORDER BY p.embedding <#> %(vector)s::halfvec LIMIT %(rows)s) nearest
GROUP BY memory_no ORDER BY similarity DESC, memory_no LIMIT %(limit)s

-- name: hnsw_settings
SELECT set_config('enable_sort', 'off', true), set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('hnsw.ef_search', '800', true), set_config('hnsw.max_scan_tuples', '200000', true)

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
      AND (%(allowed)s::bigint[] IS NULL OR l.memory_no IN (SELECT unnest(%(allowed)s::bigint[])))) f
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
