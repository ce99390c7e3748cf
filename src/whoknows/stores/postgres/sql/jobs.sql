-- Background work, as the jobs role.

-- The version that is there now: an edit of tags alone leaves the text waiting, under a new version.
-- name: pending
SELECT q.memory_id, m.version, m.title, m.content, a.owner_id, forbids_egress(a.owner_id) AS kept_back, is_unindexed(q.memory_id) AS unindexed
FROM pending_embeddings q JOIN memories m ON m.memory_id = q.memory_id JOIN audiences a ON a.audience_id = m.audience_id
WHERE q.memory_id = %(id)s AND NOT EXISTS (SELECT FROM tombstones t WHERE t.memory_id = q.memory_id)

-- name: requeue
SELECT requeue_embeddings() AS n

-- name: release
UPDATE pending_embeddings SET fault = NULL WHERE fault = 'egress_forbidden'

-- name: note_egress
SELECT note_job_egress(%(purpose)s, %(host)s, %(model)s, %(ids)s::uuid[])

-- name: complete
SELECT complete_embedding(%(id)s, %(version)s, %(vectors)s::halfvec[]) AS done

-- name: index_again
SELECT index_again(%(id)s, %(version)s, %(terms)s, %(frequencies)s, %(length)s, %(wide)s)

-- name: failed
UPDATE pending_embeddings SET attempts = attempts + 1, fault = %(fault)s WHERE memory_id = %(id)s

-- name: sweep
SELECT sweep(%(most)s) AS n

-- name: sweep_tasks
SELECT sweep_tasks() AS n

-- name: sweep_handover
SELECT sweep_handover(make_interval(days => %(days)s), 10000)

-- name: sweep_hooks
SELECT sweep_hooks(make_interval(days => %(days)s))

-- name: sweep_departed
SELECT sweep_departed(make_interval(days => %(days)s), 1000) + sweep_prompts(make_interval(days => %(days)s))
    + sweep_conversations(make_interval(days => %(days)s), 1000) + sweep_corrections(make_interval(days => %(days)s)) + sweep_distillations(make_interval(days => %(days)s))
    + sweep_workplaces(make_interval(days => %(days)s)) + sweep_departed_hooks(make_interval(days => %(days)s)) AS n

-- name: sweep_traces
DELETE FROM traces WHERE asked_at < now() - make_interval(days => %(days)s)

-- name: sweep_events
DELETE FROM events WHERE at < now() - make_interval(days => %(days)s)

-- name: sweep_ledger
DELETE FROM ledger WHERE at < now() - make_interval(days => %(days)s)

-- name: sweep_sessions
SELECT sweep_sessions()

-- name: sweep_keys
DELETE FROM idempotency WHERE created_at < now() - interval '1 day'

-- A database that was restored elsewhere holds events of a transaction counter that is ahead of its own.
-- name: settle_events
UPDATE events SET xid = '0' WHERE xid >= pg_current_xact_id()

-- name: settle_stage
UPDATE stage_events SET xid = '0' WHERE xid >= pg_current_xact_id()

-- name: settle_publications
SELECT settle_publications(%(most)s) AS n

-- name: claim_turns
SELECT message_id, claim, tenant_id, account_id, credential_id, conversation_id, project_id, principal_id, kind, name
FROM claim_distillations(%(lease)s, %(most)s, %(tries)s, %(after)s)

-- name: renew_turns
SELECT renew_distillations(%(claims)s, %(lease)s)

-- name: put_off_turn
SELECT put_off_distillation(%(message)s, %(claim)s, %(for_good)s)

-- name: cached
SELECT value FROM embedder_cache WHERE key = %(key)s

-- name: cache
INSERT INTO embedder_cache (key, value) VALUES (%(key)s, %(value)s::real[]) ON CONFLICT DO NOTHING
