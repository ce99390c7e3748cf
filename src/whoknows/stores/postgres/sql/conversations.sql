-- Conversations: one account's only, by row-level security and by the account in every statement.

-- name: page
SELECT c.conversation_id, c.project_id, c.title, c.latest, c.created_at, c.updated_at
FROM conversations c
WHERE c.tenant_id = my_tenant() AND c.account_id = my_account()
  AND (%(project)s::text IS NULL OR c.project_id = %(project)s) AND (%(before)s::uuid IS NULL OR c.latest < %(before)s)
ORDER BY c.latest DESC LIMIT %(limit)s

-- name: projects
SELECT c.project_id FROM conversations c
WHERE c.tenant_id = my_tenant() AND c.account_id = my_account()
GROUP BY c.project_id ORDER BY max(c.updated_at) DESC LIMIT %(limit)s

-- name: counts
SELECT count(*) AS messages, count(*) FILTER (WHERE e.state = 'done' AND e.mode = 'full') AS by_model,
    count(*) FILTER (WHERE e.state = 'done' AND e.mode = 'evidence') AS by_evidence
FROM exchanges e
WHERE e.conversation_id = %(id)s AND e.tenant_id = my_tenant() AND e.account_id = my_account()

-- name: get
SELECT c.conversation_id, c.project_id, c.title, c.latest, c.created_at, c.updated_at
FROM conversations c
WHERE c.conversation_id = %(id)s AND c.tenant_id = my_tenant() AND c.account_id = my_account()

-- name: select
SELECT e.message_id, e.answer_id, e.message, e.fault, e.asked_at, e.answer, e.mode, e.model, e.effort, e.sources, e.answered_at, e.answer_gone AND e.state <> 'sending' AS answer_gone,
    e.distillation,
    e.trace_ids[cardinality(e.trace_ids)] AS trace_id,
    CASE WHEN e.state = 'sending' AND e.alive_until < clock_timestamp() THEN 'unanswered' ELSE e.state END AS state
FROM exchanges e
WHERE e.conversation_id = %(id)s AND e.tenant_id = my_tenant() AND e.account_id = my_account()

-- name: one
AND e.message_id = %(message)s

-- Behind the place of the message that a cursor names.
-- name: older
AND (%(before)s::uuid IS NULL OR e.exchange_no < (
    SELECT p.exchange_no FROM exchanges p WHERE p.message_id = %(before)s AND p.conversation_id = %(id)s))
ORDER BY e.exchange_no DESC LIMIT %(limit)s

-- name: spoken
AND e.state IN ('done', 'failed') AND e.mode = 'full' AND e.answer <> ''
ORDER BY e.exchange_no DESC LIMIT %(limit)s

-- name: begin
SELECT begin_exchange(%(conversation)s, %(project)s, %(title)s, %(message_id)s, %(answer_id)s, %(message)s, %(again)s, %(lease)s) AS done

-- name: renew
SELECT renew_exchange(%(answer_id)s, %(lease)s) AS done

-- name: finish
SELECT finish_exchange(%(answer_id)s, %(fault)s, %(answer)s, %(mode)s, %(model)s, %(effort)s, %(sources)s, %(trace)s, %(earlier)s::uuid[]) AS done

-- name: forget
SELECT forget_conversation(%(id)s) AS done
