-- What may leave this machine, bank by bank, and the count of what did; and the end of answers that rested on deleted memories.

-- No row: the bank forbids nothing. Who forbade must allow it again; the texts of a bank stay while one of the two forbids.
CREATE TABLE egress_rules (
    tenant_id        int NOT NULL REFERENCES tenants,
    bank_id          int PRIMARY KEY REFERENCES principals,
    by_owner         boolean NOT NULL DEFAULT false,
    by_administrator boolean NOT NULL DEFAULT false,
    changed_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX egress_rules_forbidding ON egress_rules (tenant_id) WHERE by_owner OR by_administrator;
CALL keep_table('egress_rules');
GRANT SELECT ON egress_rules TO whoknows_request, whoknows_jobs;
CREATE POLICY mine ON egress_rules FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));
CREATE POLICY jobs ON egress_rules FOR SELECT TO whoknows_jobs USING (true);

-- Counts for each audience apart, and for each author of held texts, so that nobody learns of what it does not see.
-- `audience_id` is NULL for words of the bank's own, such as questions, which are no memory.
CREATE TABLE egress_counts (
    tenant_id   int NOT NULL REFERENCES tenants,
    bank_id     int NOT NULL REFERENCES principals,
    audience_id int REFERENCES audiences ON DELETE CASCADE,
    held_of     int REFERENCES principals,
    purpose     text NOT NULL CHECK (purpose IN ('embedding', 'chat', 'distillation', 'consolidation', 'bureau')),
    host        text NOT NULL,
    model       text NOT NULL,
    texts       bigint NOT NULL DEFAULT 0,
    requests    bigint NOT NULL DEFAULT 0,
    last_at     timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX egress_counts_one ON egress_counts (bank_id, audience_id, held_of, purpose, host, model) NULLS NOT DISTINCT;
CREATE INDEX egress_counts_audience ON egress_counts (audience_id) WHERE audience_id IS NOT NULL;
CALL keep_table('egress_counts');
GRANT SELECT ON egress_counts TO whoknows_request;
CREATE POLICY visible ON egress_counts FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND CASE
        WHEN audience_id IS NULL THEN bank_id IN ((SELECT my_principal()), (SELECT my_account()))
        ELSE audience_id = ANY ((SELECT my_audiences())::int[])
            AND (held_of IS NULL OR held_of = (SELECT my_principal()) OR audience_id = ANY ((SELECT my_reviews())::int[])) END);

CREATE FUNCTION forbids_egress(bank int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT EXISTS (SELECT FROM egress_rules r WHERE r.bank_id = bank AND (r.by_owner OR r.by_administrator)) $$;

-- By the bank itself, by an owner of the team, or by an administrator; a key for one task decides nothing beyond it. Who is both
-- speaks as both. What waited for leave goes on.
CREATE FUNCTION set_egress(bank int, forbidden boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    administers boolean := i_may('admin');
    owns boolean := EXISTS (
        SELECT FROM credential_principals cp JOIN credentials c USING (credential_id) JOIN principals p USING (principal_id)
        WHERE cp.credential_id = my_credential() AND c.task_id IS NULL AND p.deleted_at IS NULL
          AND (cp.principal_id = bank OR team_role(cp.principal_id, bank) = 'owner'));
    r egress_rules%ROWTYPE;
    waiting uuid;
BEGIN
    PERFORM FROM principals p WHERE p.principal_id = bank AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND OR NOT (administers OR owns) THEN
        PERFORM refuse('egress_not_yours');
    END IF;
    INSERT INTO egress_rules (tenant_id, bank_id) VALUES (my_tenant(), bank) ON CONFLICT DO NOTHING;
    SELECT * INTO r FROM egress_rules WHERE bank_id = bank FOR UPDATE;
    r.by_owner := CASE WHEN owns THEN forbidden ELSE r.by_owner END;
    r.by_administrator := CASE WHEN administers THEN forbidden ELSE r.by_administrator END;
    IF NOT forbidden AND (r.by_owner OR r.by_administrator) THEN
        PERFORM refuse('egress_forbidden_by_another');
    END IF;
    UPDATE egress_rules SET by_owner = r.by_owner, by_administrator = r.by_administrator, changed_at = now() WHERE bank_id = bank;
    IF NOT forbidden THEN
        FOR waiting IN
            UPDATE pending_embeddings q SET fault = NULL FROM memories m JOIN audiences a USING (audience_id)
            WHERE m.memory_id = q.memory_id AND a.owner_id = bank AND q.fault = 'egress_forbidden' RETURNING q.memory_id LOOP
            PERFORM queue_embedding(waiting);
        END LOOP;
    END IF;
    PERFORM note(CASE WHEN forbidden THEN 'egress.forbid' ELSE 'egress.allow' END, name_of(bank), bank);
END $$;

-- One request to `host_` with these memories, as far as the caller sees them, and with words of its own where `own` says so.
CREATE FUNCTION note_egress(purpose_ text, host_ text, model_ text, ids uuid[], own boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    mine int[] := my_audiences();
BEGIN
    IF my_principal() IS NULL THEN
        PERFORM refuse('may_not_write');
    END IF;
    INSERT INTO egress_counts AS c (tenant_id, bank_id, audience_id, held_of, purpose, host, model, texts, requests)
        SELECT * FROM (
            SELECT m.tenant_id, a.owner_id, m.audience_id, CASE m.state WHEN 'held' THEN m.author_id END AS held_of, purpose_, host_,
                model_, count(*), 1
            FROM memories m JOIN audiences a USING (audience_id)
            WHERE m.memory_id = ANY (ids) AND m.tenant_id = my_tenant() AND m.audience_id = ANY (mine)
            GROUP BY 1, 2, 3, 4
            UNION ALL
            SELECT my_tenant(), my_principal(), NULL, NULL, purpose_, host_, model_, 1, 1 WHERE own) n
        ORDER BY 2, 3, 4  -- in one order, so that nobody locks out another
        ON CONFLICT (bank_id, audience_id, held_of, purpose, host, model)
            DO UPDATE SET texts = c.texts + excluded.texts, requests = c.requests + 1, last_at = now();
END $$;

-- How many of the caller's own texts wait for vectors while their bank forbids egress.
CREATE FUNCTION my_kept_back() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT count(*)::int FROM pending_embeddings q JOIN memories m USING (memory_id) JOIN audiences a USING (audience_id)
    WHERE q.author_id = my_principal() AND forbids_egress(a.owner_id)
$$;

-- The same for a job, which is nobody's request.
CREATE FUNCTION note_job_egress(purpose_ text, host_ text, model_ text, ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    INSERT INTO egress_counts AS c (tenant_id, bank_id, audience_id, held_of, purpose, host, model, texts, requests)
        SELECT m.tenant_id, a.owner_id, m.audience_id, CASE m.state WHEN 'held' THEN m.author_id END, purpose_, host_, model_,
            count(*), 1
        FROM memories m JOIN audiences a USING (audience_id) WHERE m.memory_id = ANY (ids)
        GROUP BY 1, 2, 3, 4 ORDER BY 2, 3, 4
        ON CONFLICT (bank_id, audience_id, held_of, purpose, host, model)
            DO UPDATE SET texts = c.texts + excluded.texts, requests = c.requests + 1, last_at = now()
$$;

-- As before, but that what a bank keeps back is not put into the queue again and again.
CREATE OR REPLACE FUNCTION requeue_embeddings() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, procrastinate, public, pg_temp AS $$
DECLARE
    n int := 0;
    lost uuid;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466203) THEN
        RETURN 0;
    END IF;
    FOR lost IN
        SELECT q.memory_id FROM pending_embeddings q
        WHERE q.since < now() - interval '2 seconds' AND q.fault IS DISTINCT FROM 'egress_forbidden' AND NOT EXISTS (
            SELECT FROM procrastinate_jobs j LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
            WHERE j.task_name = 'embed' AND j.args ->> 'memory_id' = q.memory_id::text
              AND (j.status = 'todo' OR (j.status = 'doing' AND w.last_heartbeat > now() - interval '30 seconds')))
        LIMIT 1000 LOOP
        PERFORM queue_embedding(lost);
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- W9: what a model answered may repeat what it was shown. When a memory that an answer rested on is deleted, the answer's text
-- goes, and with it what was answered later in the same conversation, whose model had read the earlier answer. What the account
-- itself wrote stays its own.
ALTER TABLE exchanges ADD COLUMN answer_gone boolean NOT NULL DEFAULT false;
CREATE INDEX exchanges_sources ON exchanges USING gin (sources jsonb_path_ops) WHERE mode = 'full';

-- The answers that go with these memories: (message_id, answer_id, account_id). Their conversations are locked: memories first, then
-- conversations, as who keeps or distils an answer does; neither waits for the other in a circle.
CREATE FUNCTION answers_resting_on(ids uuid[]) RETURNS TABLE (message uuid, answer uuid, account int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    touched uuid[] := ARRAY(
        SELECT DISTINCT e.conversation_id FROM unnest(ids) i
        JOIN exchanges e ON e.mode = 'full' AND e.sources @> jsonb_build_array(jsonb_build_object('id', i::text)));
BEGIN
    IF touched = '{}' THEN
        RETURN;
    END IF;
    PERFORM FROM conversations WHERE conversation_id = ANY (touched) ORDER BY conversation_id FOR UPDATE;
    RETURN QUERY
        SELECT e.message_id, e.answer_id, e.account_id
        FROM exchanges e JOIN (
            SELECT x.conversation_id, min(x.exchange_no) AS no FROM unnest(ids) i
            JOIN exchanges x ON x.mode = 'full' AND x.sources @> jsonb_build_array(jsonb_build_object('id', i::text))
            GROUP BY 1) first ON e.conversation_id = first.conversation_id AND e.exchange_no >= first.no
        WHERE e.mode = 'full';
END $$;

CREATE OR REPLACE FUNCTION leave_answers(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE exchanges e SET answer = NULL, answer_gone = true FROM answers_resting_on(ids) a
        WHERE e.message_id = a.message AND e.answer IS NOT NULL
$$;

-- What was distilled from those answers alone goes with them; of what others said too, or the member itself, the quote goes.
CREATE OR REPLACE FUNCTION distilled_from_answers(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    quoted bigint[];
    doomed uuid[];
BEGIN
    quoted := ARRAY(
        SELECT v.evidence_id FROM answers_resting_on(ids) a
            JOIN distilled_facts f ON f.account_id = a.account AND f.message_id = a.answer::text AND f.outcome <> 'repeat'
            JOIN memories m ON m.memory_id = f.memory_id
            JOIN audiences o ON o.audience_id = m.audience_id AND o.owner_id = a.account AND o.layer = 'private'
            JOIN evidence v ON v.memory_id = f.memory_id AND v.source_kind = 'message' AND v.locator = f.message_id);
    IF quoted = '{}' THEN
        RETURN '{}';
    END IF;
    doomed := ARRAY(
        SELECT DISTINCT e.memory_id FROM evidence e WHERE e.evidence_id = ANY (quoted)
          AND NOT EXISTS (SELECT FROM evidence o WHERE o.memory_id = e.memory_id AND NOT o.evidence_id = ANY (quoted)));
    DELETE FROM evidence e WHERE e.evidence_id = ANY (quoted) AND NOT e.memory_id = ANY (doomed);
    RETURN doomed;
END $$;

-- As before, with the exchanges whose answers the model was shown (`earlier`). Of an answer that rests on what was deleted
-- meanwhile, or on an answer that went, the text is not kept.
DROP FUNCTION finish_exchange(uuid, text, text, text, text, text, jsonb, uuid);
CREATE FUNCTION finish_exchange(answer_id_ uuid, fault_ text, answer_ text, mode_ text, model_ text, effort_ text,
                                sources_ jsonb, trace_ uuid, earlier uuid[] DEFAULT '{}') RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
    rested uuid[] := ARRAY(SELECT DISTINCT (s ->> 'id')::uuid FROM jsonb_array_elements(sources_) s);
    gone boolean := false;
BEGIN
    IF mode_ = 'full' THEN
        PERFORM FROM memories WHERE memory_id = ANY (rested) ORDER BY memory_no FOR KEY SHARE;
    END IF;
    -- The conversation first, as who deletes it does: neither waits for the other in a circle.
    PERFORM FROM conversations c JOIN exchanges e USING (conversation_id)
        WHERE e.answer_id = answer_id_ AND c.account_id = account FOR UPDATE OF c;
    IF mode_ = 'full' THEN
        gone := (SELECT count(*) FROM memories WHERE memory_id = ANY (rested)) < cardinality(rested)
            OR EXISTS (SELECT FROM exchanges e JOIN exchanges b USING (conversation_id)
                       WHERE e.answer_id = answer_id_ AND b.message_id = ANY (earlier) AND b.answer IS NULL);
    END IF;
    UPDATE exchanges SET state = CASE WHEN fault_ IS NULL THEN 'done' ELSE 'failed' END, fault = fault_,
            answer = CASE WHEN gone THEN NULL ELSE answer_ END, answer_gone = gone AND answer_ IS NOT NULL,
            mode = mode_, model = model_, effort = effort_, sources = sources_, trace_ids = trace_ids || trace_,
            answered_at = clock_timestamp()
        WHERE answer_id = answer_id_ AND tenant_id = my_tenant() AND account_id = account AND asked_by = my_actor()
          AND state = 'sending';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE conversations c SET updated_at = clock_timestamp() FROM exchanges e
        WHERE e.answer_id = answer_id_ AND c.conversation_id = e.conversation_id;
    RETURN true;
END $$;

CALL keep_functions(
    for_requests => ARRAY['set_egress', 'note_egress', 'my_kept_back', 'finish_exchange'],
    for_jobs => ARRAY['note_job_egress', 'forbids_egress']);
