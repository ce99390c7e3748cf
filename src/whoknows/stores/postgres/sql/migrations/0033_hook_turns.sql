-- What each event of a program got from memory, in figures and ids: never a text. By it nothing is put into a session twice, and a
-- stage has its report. Read by whoever has the same workplaces.

CREATE TABLE hook_turns (
    tenant_id    int NOT NULL REFERENCES tenants,
    turn_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid NOT NULL UNIQUE,
    owner_id     int NOT NULL REFERENCES principals,
    principal_id int NOT NULL REFERENCES principals,
    program      text NOT NULL CHECK (program IN ('claude-code', 'codex', 'pi')),
    session_id   text NOT NULL,
    turn_id      text NOT NULL,
    project_id   text NOT NULL,
    stage        text NOT NULL CHECK (stage IN ('off', 'read-only', 'governed', 'team')),
    event        text NOT NULL CHECK (event IN ('session_start', 'prompt', 'subagent_start', 'stop')),
    outcome      text NOT NULL CHECK (outcome IN ('injected', 'nothing', 'captured', 'skipped', 'failed')),
    reason       text,
    memories     uuid[] NOT NULL DEFAULT '{}',
    characters   int NOT NULL DEFAULT 0,
    tokens       int NOT NULL DEFAULT 0,
    top_score    double precision,
    lowest_score double precision,
    took_ms      double precision NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX hook_turns_of ON hook_turns (owner_id, program, session_id, turn_id, event);
CREATE INDEX hook_turns_project ON hook_turns (owner_id, project_id, at);
CREATE INDEX hook_turns_age ON hook_turns (at);
CALL keep_table('hook_turns');
GRANT SELECT ON hook_turns TO whoknows_request;
CREATE POLICY mine ON hook_turns FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND owner_id = (SELECT my_workplace_owner()));

-- Exchanges that wait to be distilled: what was asked, and what the program answered last, without secrets. One half waits for the
-- other; both go in the transaction that writes what was kept. No request reads them.
CREATE TABLE hook_exchanges (
    tenant_id     int NOT NULL REFERENCES tenants,
    exchange_no   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    exchange_id   uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    owner_id      int NOT NULL REFERENCES principals,
    principal_id  int NOT NULL REFERENCES principals,
    credential_id uuid NOT NULL,
    program       text NOT NULL,
    session_id    text NOT NULL,
    turn_id       text NOT NULL,
    project_id    text NOT NULL,
    prompt        text,
    answer        text,
    since         timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- NULL: one half is not there yet.
    due_at        timestamptz,
    attempts      int NOT NULL DEFAULT 0,
    claim         uuid,
    held_until    timestamptz
);
CREATE UNIQUE INDEX hook_exchanges_of ON hook_exchanges (owner_id, program, session_id, turn_id);
CREATE INDEX hook_exchanges_due ON hook_exchanges (due_at);
CREATE INDEX hook_exchanges_since ON hook_exchanges (since);
CALL keep_table('hook_exchanges');

-- The record of one event. The same event again changes nothing; more that was put beside the same turn is added. False where it
-- was there.
CREATE FUNCTION note_hook_turn(turn jsonb) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    owner int := must_keep_workplaces();
    noted boolean;
BEGIN
    INSERT INTO hook_turns AS t (tenant_id, id, owner_id, principal_id, program, session_id, turn_id, project_id, stage, event, outcome,
                                 reason, memories, characters, tokens, top_score, lowest_score, took_ms)
        SELECT my_tenant(), n.id, owner, my_actor(), n.program, n.session_id, n.turn_id, n.project_id, n.stage, n.event,
               n.outcome, n.reason, n.memories, n.characters, n.tokens, n.top_score, n.lowest_score, n.took_ms
        FROM jsonb_to_record(turn) AS n(id uuid, program text, session_id text, turn_id text, project_id text, stage text, event text,
            outcome text, reason text, memories uuid[], characters int, tokens int, top_score double precision,
            lowest_score double precision, took_ms double precision)
        ON CONFLICT (owner_id, program, session_id, turn_id, event) DO UPDATE SET
            memories = t.memories || ARRAY(SELECT unnest(excluded.memories) EXCEPT SELECT unnest(t.memories)),
            outcome = excluded.outcome, characters = t.characters + excluded.characters, tokens = t.tokens + excluded.tokens,
            top_score = greatest(t.top_score, excluded.top_score), lowest_score = least(t.lowest_score, excluded.lowest_score)
            WHERE t.event = 'prompt' AND NOT excluded.memories <@ t.memories
        RETURNING t.id = (turn->>'id')::uuid INTO noted;
    RETURN coalesce(noted, false);
END $$;

-- What a person asked, until the program stops. What is added within one turn stands below. The oldest of a session that never
-- stopped give way.
CREATE FUNCTION keep_prompt(program_ text, session_ text, turn_ text, project text, prompt_ text, most int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    IF EXISTS (SELECT FROM hook_turns t WHERE t.owner_id = account AND t.program = program_ AND t.session_id = session_
               AND t.turn_id = turn_ AND t.event = 'stop')
       AND NOT EXISTS (SELECT FROM hook_exchanges x WHERE x.owner_id = account AND x.program = program_ AND x.session_id = session_
                       AND x.turn_id = turn_ AND x.prompt IS NULL) THEN
        RETURN;  -- it is done already, or was skipped
    END IF;
    INSERT INTO hook_exchanges AS x (tenant_id, owner_id, principal_id, credential_id, program, session_id, turn_id, project_id, prompt)
        VALUES (my_tenant(), account, my_actor(), my_credential(), program_, session_, turn_, project, prompt_)
        ON CONFLICT (owner_id, program, session_id, turn_id) DO UPDATE SET
            prompt = CASE WHEN x.prompt IS NULL THEN excluded.prompt
                          WHEN x.answer IS NULL AND position(excluded.prompt IN x.prompt) = 0
                               AND octet_length(x.prompt) + octet_length(excluded.prompt) < 30000
                          THEN x.prompt || E'\n\n' || excluded.prompt ELSE x.prompt END,
            due_at = CASE WHEN x.answer IS NULL THEN x.due_at ELSE coalesce(x.due_at, clock_timestamp()) END;
    DELETE FROM hook_exchanges d WHERE d.exchange_id IN (
        SELECT o.exchange_id FROM hook_exchanges o
        WHERE o.owner_id = account AND o.program = program_ AND o.session_id = session_ AND o.due_at IS NULL
        ORDER BY o.exchange_no DESC OFFSET most);
END $$;

-- The program stopped.
CREATE FUNCTION keep_answer(program_ text, session_ text, turn_ text, project text, answer_ text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    INSERT INTO hook_exchanges AS x (tenant_id, owner_id, principal_id, credential_id, program, session_id, turn_id, project_id, answer)
        VALUES (my_tenant(), account, my_actor(), my_credential(), program_, session_, turn_, project, answer_)
        ON CONFLICT (owner_id, program, session_id, turn_id) DO UPDATE SET
            answer = coalesce(x.answer, excluded.answer),
            due_at = CASE WHEN x.prompt IS NULL THEN x.due_at ELSE coalesce(x.due_at, clock_timestamp()) END;
END $$;

-- The turn of the newest prompt of a session that has no answer yet, for a program that does not say which one stopped.
CREATE FUNCTION waiting_turn(program_ text, session_ text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT x.turn_id FROM hook_exchanges x
    WHERE x.owner_id = my_conversing_account() AND x.tenant_id = my_tenant() AND x.program = program_ AND x.session_id = session_
      AND x.answer IS NULL
    ORDER BY x.exchange_no DESC LIMIT 1
$$;

-- In the transaction of the writing: false where another has done it, or it is gone.
CREATE FUNCTION settle_exchange(exchange uuid, claim_ uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    DELETE FROM hook_exchanges x
        WHERE x.exchange_id = exchange AND x.claim = claim_ AND x.owner_id = account AND x.tenant_id = my_tenant();
    RETURN FOUND;
END $$;

CREATE FUNCTION fail_hook_turn(owner int, program_ text, session_ text, turn_ text, fault text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE hook_turns SET outcome = 'failed', reason = fault
    WHERE owner_id = owner AND program = program_ AND session_id = session_ AND turn_id = turn_ AND event = 'stop'
$$;

-- Where a project is taken back to a stage that learns nothing, no words of it wait any more: neither whole exchanges nor halves.
CREATE FUNCTION stage_taken_back() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    x hook_exchanges;
BEGIN
    FOR x IN DELETE FROM hook_exchanges d WHERE d.owner_id = new.owner_id AND d.project_id = new.project_id RETURNING d.* LOOP
        PERFORM fail_hook_turn(x.owner_id, x.program, x.session_id, x.turn_id, 'stage_taken_back');
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER taken_back AFTER INSERT ON stage_changes
    FOR EACH ROW WHEN (new.stage IN ('off', 'read-only')) EXECUTE FUNCTION stage_taken_back();

-- Those that are whole, due and in nobody's hands, in the order in which they were asked. What failed too often goes, and its turn
-- says so.
CREATE FUNCTION claim_exchanges(lease interval, most int, tries int)
RETURNS TABLE (exchange_id uuid, claim uuid, tenant_id int, owner_id int, credential_id uuid, program text, session_id text,
               turn_id text, project_id text, prompt text, answer text, principal_id int, kind text, name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    lost hook_exchanges;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466205) THEN  -- one at a time takes some
        RETURN;
    END IF;
    FOR lost IN DELETE FROM hook_exchanges x WHERE x.attempts >= tries AND (x.held_until IS NULL OR x.held_until < clock_timestamp())
        RETURNING x.* LOOP
        PERFORM fail_hook_turn(lost.owner_id, lost.program, lost.session_id, lost.turn_id, 'given_up');
    END LOOP;
    RETURN QUERY
        WITH taken AS (
            UPDATE hook_exchanges x
            SET claim = gen_random_uuid(), held_until = clock_timestamp() + lease, attempts = x.attempts + 1
            WHERE x.exchange_no IN (
                SELECT q.exchange_no FROM hook_exchanges q
                WHERE q.due_at <= clock_timestamp() AND (q.held_until IS NULL OR q.held_until < clock_timestamp())
                  AND NOT EXISTS (SELECT FROM hook_exchanges b
                      WHERE b.owner_id = q.owner_id AND b.exchange_no < q.exchange_no AND b.held_until > clock_timestamp())
                ORDER BY q.exchange_no LIMIT most FOR UPDATE OF q SKIP LOCKED)
            RETURNING x.*)
        SELECT t.exchange_id, t.claim, t.tenant_id, t.owner_id, t.credential_id, t.program, t.session_id, t.turn_id, t.project_id,
               t.prompt, t.answer, a.principal_id, a.kind, a.name
        FROM taken t JOIN principals a ON a.principal_id = t.principal_id
        ORDER BY t.exchange_no;
END $$;

-- It failed: again after a pause. `for_good`: whoever asked may not write it any more, or it can never be heard.
CREATE FUNCTION put_off_exchange(exchange uuid, claim_ uuid, fault text, for_good boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    x hook_exchanges;
BEGIN
    IF for_good THEN
        DELETE FROM hook_exchanges d WHERE d.exchange_id = exchange AND d.claim = claim_ RETURNING d.* INTO x;
        IF FOUND THEN
            PERFORM fail_hook_turn(x.owner_id, x.program, x.session_id, x.turn_id, fault);
        END IF;
    ELSE
        UPDATE hook_exchanges d SET claim = NULL, held_until = NULL,
                due_at = clock_timestamp() + least(d.attempts * d.attempts * interval '15 seconds', interval '1 hour')
            WHERE d.exchange_id = exchange AND d.claim = claim_;
    END IF;
END $$;

-- What was never answered, or never asked, goes after a day; figures after `keep`.
CREATE FUNCTION sweep_hooks(keep interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    x hook_exchanges;
BEGIN
    FOR x IN DELETE FROM hook_exchanges d WHERE d.due_at IS NULL AND d.since < now() - interval '1 day' RETURNING d.* LOOP
        PERFORM fail_hook_turn(x.owner_id, x.program, x.session_id, x.turn_id, 'no_prompt');
    END LOOP;
    DELETE FROM hook_turns t WHERE t.at < now() - keep;
END $$;

-- The words of who was deleted go at once, the figures with all that was theirs.
CREATE FUNCTION sweep_departed_hooks(grace interval) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM hook_exchanges x USING principals p
        WHERE p.principal_id IN (x.owner_id, x.principal_id) AND p.deleted_at IS NOT NULL;
    DELETE FROM hook_turns t USING principals p WHERE p.principal_id = t.owner_id AND p.deleted_at < now() - grace;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(
    for_requests => ARRAY['note_hook_turn', 'keep_prompt', 'keep_answer', 'waiting_turn', 'settle_exchange'],
    for_jobs => ARRAY['claim_exchanges', 'put_off_exchange', 'sweep_hooks', 'sweep_departed_hooks']);
