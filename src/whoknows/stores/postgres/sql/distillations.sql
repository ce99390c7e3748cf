-- Distillations: one account's only, by row-level security and by the account in every statement.

-- name: begin
SELECT begin_distillation(%(batch)s, %(project)s, %(conversation)s, %(by_model)s)

-- name: heard
SELECT DISTINCT h.words FROM distilled_messages h JOIN distillations d USING (batch_id)
WHERE h.tenant_id = my_tenant() AND h.account_id = my_account() AND h.words = ANY (%(words)s::bytea[]) AND d.undone_at IS NULL

-- name: followed
SELECT DISTINCT h.pair FROM distilled_messages h JOIN distillations d USING (batch_id)
WHERE h.tenant_id = my_tenant() AND h.account_id = my_account() AND h.pair = ANY (%(pairs)s::bytea[]) AND d.undone_at IS NULL

-- name: last
SELECT h.tail, h.stirred FROM distilled_messages h JOIN distillations d USING (batch_id)
WHERE d.tenant_id = my_tenant() AND d.account_id = my_account() AND d.project_id = %(project)s AND d.undone_at IS NULL
ORDER BY d.batch_id DESC, h.ordinal DESC LIMIT 1

-- What a fact may be about: the nearest by meaning, and what was written or changed last, each with the vector of its text.
-- name: known
WITH mine AS (
    SELECT m.memory_id, m.memory_no, m.content, m.category, m.project_id, m.audience_id, m.updated_at
    FROM memories m
    WHERE {{visible m}} AND m.state = 'active' AND m.injected_by_id IS NULL
      AND (m.project_id IS NULL OR m.project_id = %(project)s::text)),
near AS (
    SELECT p.memory_no FROM passages p JOIN mine USING (memory_no)
    WHERE {{in_scope p}} AND p.live AND p.passage_no = 1 AND %(vector)s::halfvec IS NOT NULL
    ORDER BY p.embedding <=> %(vector)s::halfvec LIMIT %(limit)s),
late AS (SELECT memory_no FROM mine ORDER BY updated_at DESC, memory_no DESC LIMIT %(limit)s)
SELECT w.memory_id, w.content, w.category, w.project_id,
    (SELECT p.embedding FROM passages p WHERE p.memory_no = w.memory_no AND p.passage_no = 1 AND {{in_scope p}}
        AND NOT EXISTS (SELECT FROM passages q WHERE q.memory_no = w.memory_no AND q.passage_no = 2 AND {{in_scope q}})) AS embedding
FROM mine w WHERE w.memory_no IN (SELECT memory_no FROM near UNION SELECT memory_no FROM late)
ORDER BY w.updated_at DESC, w.memory_no DESC

-- name: record
SELECT record_distillation(%(batch)s, %(messages)s, %(facts)s)

-- name: select
SELECT d.batch_id, d.project_id, d.conversation_id, d.by_model, d.at, d.undone_at,
    jsonb_build_array(w.principal_id, w.kind, w.name) AS made_by,
    (SELECT count(*) FROM distilled_messages h WHERE h.batch_id = d.batch_id) AS heard,
    (SELECT count(*) FROM distilled_facts f WHERE f.batch_id = d.batch_id AND f.outcome <> 'repeat') AS kept
FROM distillations d JOIN principals w ON w.principal_id = d.made_by
WHERE d.tenant_id = my_tenant() AND d.account_id = my_account()

-- name: one
AND d.batch_id = %(batch)s

-- name: newest
AND (d.undone_at IS NOT NULL OR EXISTS (SELECT FROM distilled_facts k WHERE k.batch_id = d.batch_id AND k.outcome <> 'repeat'))
  AND (%(before)s::uuid IS NULL OR d.batch_id < %(before)s) ORDER BY d.batch_id DESC LIMIT %(limit)s

-- name: messages
SELECT h.message_id, h.words, h.skipped FROM distilled_messages h
WHERE h.batch_id = %(batch)s AND h.tenant_id = my_tenant() AND h.account_id = my_account() ORDER BY h.ordinal

-- name: facts
SELECT f.message_id, f.memory_id, f.outcome, f.quote_hash FROM distilled_facts f
WHERE f.batch_id = %(batch)s AND f.tenant_id = my_tenant() AND f.account_id = my_account() ORDER BY f.ordinal

-- name: of_messages
SELECT f.message_id, f.memory_id, f.outcome, f.quote_hash FROM distilled_facts f JOIN distillations d USING (batch_id)
WHERE f.message_id = ANY (%(messages)s::text[]) AND f.tenant_id = my_tenant() AND f.account_id = my_account()
  AND d.conversation_id IS NOT NULL AND d.undone_at IS NULL ORDER BY f.batch_id, f.ordinal

-- name: undo
SELECT deleted, restored, released FROM undo_distillation(%(batch)s)

-- name: settings
SELECT s.project_id, s.automatic FROM distill_settings s
WHERE s.tenant_id = my_tenant() AND s.account_id = my_account() AND (s.project_id IS NULL OR s.project_id = %(project)s::text)

-- name: set
SELECT set_distilling(%(project)s, %(automatic)s)

-- name: mute
SELECT mute_exchange(%(message)s)

-- name: settle
SELECT settle_distillation(%(message)s, %(claim)s, %(heard)s) AS done
