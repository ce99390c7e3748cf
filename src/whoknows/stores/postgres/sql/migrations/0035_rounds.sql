-- What waits to be distilled: a round takes the oldest of each account, so that nobody waits behind the many of another; and a
-- process keeps what it has in hand by saying so again and again, so that what a dead one had is free within a minute. And where
-- a memory goes, so do the words of the prompt that it was learned from.

-- The oldest of each account that has none in hand, beginning with the account behind `after`. What failed too often goes, and its
-- turn says so.
DROP FUNCTION claim_exchanges(interval, int, int);
CREATE FUNCTION claim_exchanges(lease interval, most int, tries int, after int)
RETURNS TABLE (exchange_id uuid, claim uuid, tenant_id int, owner_id int, credential_id uuid, program text, session_id text,
               turn_id text, project_id text, prompt text, answer text, principal_id int, kind text, name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    lost hook_exchanges;
    present timestamptz := clock_timestamp();
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466205) THEN  -- one at a time takes some
        RETURN;
    END IF;
    FOR lost IN DELETE FROM hook_exchanges x WHERE x.attempts >= tries AND (x.held_until IS NULL OR x.held_until < present)
        RETURNING x.* LOOP
        PERFORM fail_hook_turn(lost.owner_id, lost.program, lost.session_id, lost.turn_id, 'given_up');
    END LOOP;
    RETURN QUERY
        WITH oldest AS (
            SELECT DISTINCT ON (q.owner_id) q.owner_id, q.exchange_no FROM hook_exchanges q
            WHERE q.due_at <= present
              AND NOT EXISTS (SELECT FROM hook_exchanges b WHERE b.owner_id = q.owner_id AND b.held_until >= present)
            ORDER BY q.owner_id, q.exchange_no),
        -- Chosen once: a subquery within the UPDATE may be run again for each row, and would then take more than `most`.
        chosen AS MATERIALIZED (
            SELECT q.exchange_no FROM hook_exchanges q JOIN oldest o USING (exchange_no)
            ORDER BY q.owner_id <= after, q.owner_id LIMIT most FOR UPDATE OF q SKIP LOCKED),
        taken AS (
            UPDATE hook_exchanges x
            SET claim = gen_random_uuid(), held_until = clock_timestamp() + lease, attempts = x.attempts + 1
            FROM chosen c WHERE x.exchange_no = c.exchange_no
            RETURNING x.*)
        SELECT t.exchange_id, t.claim, t.tenant_id, t.owner_id, t.credential_id, t.program, t.session_id, t.turn_id, t.project_id,
               t.prompt, t.answer, a.principal_id, a.kind, a.name
        FROM taken t JOIN principals a ON a.principal_id = t.principal_id
        ORDER BY t.owner_id <= after, t.owner_id;
END $$;

-- Those of `claims` that are still the caller's, for so long again.
CREATE FUNCTION renew_exchanges(claims uuid[], lease interval) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE hook_exchanges SET held_until = clock_timestamp() + lease WHERE claim = ANY (claims)
$$;

-- The same for turns of chat, in the order in which an account said them.
DROP FUNCTION claim_distillations(interval, int, int);
CREATE FUNCTION claim_distillations(lease interval, most int, tries int, after int)
RETURNS TABLE (message_id uuid, claim uuid, tenant_id int, account_id int, credential_id uuid, conversation_id uuid,
               project_id text, principal_id int, kind text, name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    lost uuid[];
    present timestamptz := clock_timestamp();
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466204) THEN  -- one at a time takes some
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM pending_distillations p WHERE p.attempts >= tries AND (p.held_until IS NULL OR p.held_until < present)
        RETURNING p.message_id)
    SELECT array_agg(g.message_id) INTO lost FROM gone g;
    UPDATE exchanges e SET distillation = 'failed' WHERE e.message_id = ANY (lost);
    RETURN QUERY
        WITH oldest AS (
            SELECT DISTINCT ON (q.account_id) q.account_id, q.message_id
            FROM pending_distillations q JOIN exchanges e USING (message_id)
            WHERE q.due_at <= present AND NOT (e.state = 'sending' AND e.alive_until > present)
              AND NOT EXISTS (SELECT FROM pending_distillations b WHERE b.account_id = q.account_id AND b.held_until >= present)
            ORDER BY q.account_id, e.exchange_no),
        chosen AS MATERIALIZED (
            SELECT q.message_id FROM pending_distillations q JOIN oldest o USING (message_id)
            ORDER BY q.account_id <= after, q.account_id LIMIT most FOR UPDATE OF q SKIP LOCKED),
        taken AS (
            UPDATE pending_distillations p
            SET claim = gen_random_uuid(), held_until = clock_timestamp() + lease, attempts = p.attempts + 1
            FROM chosen h WHERE p.message_id = h.message_id
            RETURNING p.*)
        SELECT t.message_id, t.claim, t.tenant_id, t.account_id, t.credential_id, e.conversation_id, c.project_id,
               a.principal_id, a.kind, a.name
        FROM taken t JOIN exchanges e USING (message_id) JOIN conversations c USING (conversation_id)
            JOIN principals a ON a.principal_id = t.principal_id
        ORDER BY t.account_id <= after, t.account_id;
END $$;

CREATE FUNCTION renew_distillations(claims uuid[], lease interval) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE pending_distillations SET held_until = clock_timestamp() + lease WHERE claim = ANY (claims)
$$;

-- The trace of a prompt names the exchange that it began, as its messages are called where they are distilled.
CREATE INDEX traces_exchange ON traces ((body->>'exchange')) WHERE body ? 'exchange';

-- W9: the prompt that a memory was learned from says what it said, and so does one whose answer it was learned from. Its trace keeps
-- figures and ids, and no word of it. Numbers of sessions and turns are whatever a program says, so another account may have had
-- the same.
CREATE FUNCTION leave_questions(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE traces t SET question = '', body = jsonb_set(t.body, '{terms}', coalesce(
            (SELECT jsonb_agg(w.term || '{"term": ""}' ORDER BY w.no) FROM jsonb_array_elements(t.body->'terms')
                WITH ORDINALITY AS w(term, no)), '[]'))
        FROM distilled_facts f
        WHERE f.memory_id = ANY (ids) AND t.tenant_id = f.tenant_id AND t.body ? 'exchange'
          AND t.body->>'exchange' = regexp_replace(f.message_id, ':answer$', '')
          AND EXISTS (SELECT FROM principals p WHERE p.principal_id = t.principal_id AND f.account_id IN (p.principal_id, p.account_id))
$$;

-- As in 0017, and the words of prompts.
CREATE OR REPLACE FUNCTION erase(ids uuid[], who int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
    every uuid[] := with_everything(ids);
    cut uuid[] := cut_words(every);
BEGIN
    IF cut <> '{}' THEN  -- what rests on them may rest on the words that went
        every := every || ARRAY(SELECT unnest(with_everything(derived_from(cut))) EXCEPT SELECT unnest(every || cut));
    END IF;
    n := (SELECT count(*) FROM memories WHERE memory_id = ANY (ids));
    PERFORM revive(every);
    PERFORM leave_postings(ARRAY(SELECT memory_no FROM memories WHERE memory_id = ANY (every)));
    PERFORM leave_evidence(every);
    PERFORM leave_answers(every || cut);
    PERFORM leave_questions(every);
    INSERT INTO tombstones (tenant_id, memory_id, deleted_by)
        SELECT tenant_id, memory_id, who FROM memories WHERE memory_id = ANY (every) ON CONFLICT DO NOTHING;
    DELETE FROM memories WHERE memory_id = ANY (every);
    RETURN n;
END $$;

CALL keep_functions(for_jobs => ARRAY['claim_exchanges', 'renew_exchanges', 'claim_distillations', 'renew_distillations']);
