-- What events of programs got, and exchanges that wait to be distilled: those of the caller's account alone.

-- name: of_session
SELECT t.event, t.turn_id, t.memories, t.at, t.outcome, t.reason FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.program = %(program)s AND t.session_id = %(session)s
ORDER BY t.turn_no DESC LIMIT %(limit)s

-- As they are read again, the newest first. Whether the reader may open the trace of one: its own, as `records.trace` has it.
-- name: newest
SELECT t.id, t.program, t.session_id, t.turn_id, t.project_id, t.stage, t.event, t.outcome, t.at, t.took_ms, t.reason, t.memories,
    t.characters, t.tokens, t.top_score, t.lowest_score,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = t.principal_id) AS by,
    EXISTS (SELECT FROM traces r WHERE r.trace_id = t.id AND r.tenant_id = %(tenant)s AND r.principal_id = %(reader)s
            AND (NOT r.inspected OR r.credential_id = my_credential())) AS traced
FROM hook_turns t
WHERE t.tenant_id = (SELECT my_tenant()) AND t.owner_id = (SELECT my_workplace_owner()) AND t.project_id = %(project)s
  AND (%(at)s::timestamptz IS NULL OR (t.at, t.turn_no) < (%(at)s, %(number)s::bigint))
ORDER BY t.at DESC, t.turn_no DESC LIMIT %(limit)s

-- name: position
SELECT t.at, t.turn_no FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.project_id = %(project)s AND t.id = %(id)s

-- The newest of every kind before the second of any.
-- name: important
SELECT n.memory_id FROM (
    SELECT m.memory_id, k.place, row_number() OVER (PARTITION BY m.category ORDER BY m.memory_id DESC) AS nth
    FROM memories m
    JOIN unnest(ARRAY['decision', 'blocking_issue', 'risk', 'workflow_rule', 'user_preference', 'correction']) WITH ORDINALITY
        AS k(category, place) ON k.category = m.category
    WHERE {{visible m}} AND m.state = 'active' AND m.part_of IS NULL
      AND (m.project_id = %(project)s OR (m.project_id IS NULL AND m.category IN ('workflow_rule', 'user_preference')))) n
WHERE n.nth <= %(each)s ORDER BY n.nth, n.place

-- name: note
SELECT note_hook_turn(%(turn)s) AS done

-- name: keep_prompt
SELECT keep_prompt(%(program)s, %(session)s, %(turn)s, %(project)s, %(prompt)s, %(most)s)

-- name: keep_answer
SELECT keep_answer(%(program)s, %(session)s, %(turn)s, %(project)s, %(answer)s)

-- name: waiting
SELECT waiting_turn(%(program)s, %(session)s) AS turn

-- name: settle
SELECT settle_exchange(%(exchange)s, %(claim)s) AS done

-- name: claim
SELECT exchange_id, claim, tenant_id, owner_id, credential_id, program, session_id, turn_id, project_id, prompt, answer,
    principal_id, kind, name
FROM claim_exchanges(%(lease)s, %(most)s, %(tries)s, %(after)s)

-- name: renew
SELECT renew_exchanges(%(claims)s, %(lease)s)

-- name: put_off
SELECT put_off_exchange(%(exchange)s, %(claim)s, %(fault)s, %(for_good)s)
