-- Background work, as the jobs role.

-- The version that is there now: an edit of tags alone leaves the text waiting, under a new version.
-- name: pending
SELECT q.memory_id, m.version, m.title, m.content FROM pending_embeddings q JOIN memories m ON m.memory_id = q.memory_id
WHERE q.memory_id = %(id)s AND NOT EXISTS (SELECT FROM tombstones t WHERE t.memory_id = q.memory_id)

-- name: requeue
SELECT requeue_embeddings() AS n

-- name: complete
SELECT complete_embedding(%(id)s, %(version)s, %(vectors)s::halfvec[]) AS done

-- name: failed
UPDATE pending_embeddings SET attempts = attempts + 1, fault = %(fault)s WHERE memory_id = %(id)s

-- name: sweep
SELECT sweep(%(most)s) AS n

-- name: sweep_tasks
SELECT sweep_tasks() AS n

-- name: sweep_handover
SELECT sweep_handover(make_interval(days => %(days)s), 10000)

-- name: sweep_departed
SELECT sweep_departed(make_interval(days => %(days)s), 1000) + sweep_prompts(make_interval(days => %(days)s))
    + sweep_conversations(make_interval(days => %(days)s), 1000) AS n

-- name: sweep_traces
DELETE FROM traces WHERE asked_at < now() - make_interval(days => %(days)s)

-- name: sweep_events
DELETE FROM events WHERE at < now() - make_interval(days => %(days)s)

-- name: sweep_keys
DELETE FROM idempotency WHERE created_at < now() - interval '1 day'

-- A database that was restored elsewhere holds events of a transaction counter that is ahead of its own.
-- name: settle_events
UPDATE events SET xid = '0' WHERE xid >= pg_current_xact_id()

-- name: settle_stage
UPDATE stage_events SET xid = '0' WHERE xid >= pg_current_xact_id()

-- name: settle_publications
SELECT settle_publications(%(most)s) AS n

-- name: cached
SELECT value FROM embedder_cache WHERE key = %(key)s

-- name: cache
INSERT INTO embedder_cache (key, value) VALUES (%(key)s, %(value)s::real[]) ON CONFLICT DO NOTHING
