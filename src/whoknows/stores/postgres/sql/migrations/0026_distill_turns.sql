-- Turns of chat that wait to be distilled. The row is there from the first moment, so that no end of a server loses it, and goes
-- in the transaction that writes what was kept: it is done once. It is done as the one who asked, with that key: a key that has
-- ended writes nothing any more. With its conversation it goes.
ALTER TABLE exchanges ADD COLUMN distillation text CHECK (distillation IN ('pending', 'done', 'off', 'failed'));
CREATE TABLE pending_distillations (
    tenant_id     int NOT NULL REFERENCES tenants,
    message_id    uuid PRIMARY KEY REFERENCES exchanges ON DELETE CASCADE,
    account_id    int NOT NULL REFERENCES principals,
    principal_id  int NOT NULL REFERENCES principals,
    credential_id uuid NOT NULL,
    due_at        timestamptz NOT NULL,
    attempts      int NOT NULL DEFAULT 0,
    claim         uuid,
    held_until    timestamptz
);
CREATE INDEX pending_distillations_due ON pending_distillations (due_at);
CALL keep_table('pending_distillations');

-- `due`: the answer is there. A message that has none may be asked again in other words: it waits a while for them.
CREATE FUNCTION queue_distillation(message uuid, due timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    INSERT INTO pending_distillations AS p (tenant_id, message_id, account_id, principal_id, credential_id, due_at)
        SELECT e.tenant_id, e.message_id, e.account_id, e.asked_by, my_credential(), due FROM exchanges e
        WHERE e.message_id = queue_distillation.message AND e.distillation = 'pending'
        ON CONFLICT (message_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0, claim = NULL, held_until = NULL,
            principal_id = excluded.principal_id, credential_id = excluded.credential_id;
END $$;

-- This turn is not to be distilled.
CREATE FUNCTION mute_exchange(message uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    UPDATE exchanges e SET distillation = 'off'
        WHERE e.message_id = mute_exchange.message AND e.tenant_id = my_tenant() AND e.account_id = account AND e.asked_by = my_actor();
    DELETE FROM pending_distillations p WHERE p.message_id = message AND p.account_id = account;
END $$;

-- In the transaction of the writing: false where another has done it, or the conversation is gone, or the answer that was `heard`.
CREATE FUNCTION settle_distillation(message uuid, claim_ uuid, heard text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    DELETE FROM pending_distillations p
        WHERE p.message_id = message AND p.claim = claim_ AND p.account_id = account AND p.tenant_id = my_tenant();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- The conversation first, as who deletes what its answers rested on does: the answer that was heard is there still, and what is
    -- kept of it is found by a deletion that comes later (W9).
    PERFORM FROM conversations c JOIN exchanges e USING (conversation_id) WHERE e.message_id = settle_distillation.message FOR UPDATE OF c;
    IF heard IS NOT NULL AND NOT EXISTS (
        SELECT FROM exchanges e WHERE e.message_id = settle_distillation.message AND e.answer_id::text = heard AND e.answer IS NOT NULL) THEN
        RETURN false;
    END IF;
    UPDATE exchanges SET distillation = 'done' WHERE message_id = settle_distillation.message;
    RETURN true;
END $$;

-- Those that are due and in nobody's hands, for so long in the caller's; in the order in which an account said them, since what was
-- said later may change what was said before. What has failed too often is given up, and says so.
CREATE FUNCTION claim_distillations(lease interval, most int, tries int)
RETURNS TABLE (message_id uuid, claim uuid, tenant_id int, account_id int, credential_id uuid, conversation_id uuid,
               project_id text, principal_id int, kind text, name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    lost uuid[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466204) THEN  -- one at a time takes some
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM pending_distillations p WHERE p.attempts >= tries AND (p.held_until IS NULL OR p.held_until < clock_timestamp())
        RETURNING p.message_id)
    SELECT array_agg(g.message_id) INTO lost FROM gone g;
    UPDATE exchanges e SET distillation = 'failed' WHERE e.message_id = ANY (lost);
    RETURN QUERY
        WITH taken AS (
            UPDATE pending_distillations p
            SET claim = gen_random_uuid(), held_until = clock_timestamp() + lease, attempts = p.attempts + 1
            WHERE p.message_id IN (
                SELECT q.message_id FROM pending_distillations q JOIN exchanges e USING (message_id)
                WHERE q.due_at <= clock_timestamp() AND (q.held_until IS NULL OR q.held_until < clock_timestamp())
                  AND NOT (e.state = 'sending' AND e.alive_until > clock_timestamp())
                  AND NOT EXISTS (
                      SELECT FROM pending_distillations b JOIN exchanges f USING (message_id)
                      WHERE b.account_id = q.account_id AND f.exchange_no < e.exchange_no AND b.held_until > clock_timestamp())
                ORDER BY e.exchange_no LIMIT most FOR UPDATE OF q SKIP LOCKED)
            RETURNING p.*)
        SELECT t.message_id, t.claim, t.tenant_id, t.account_id, t.credential_id, e.conversation_id, c.project_id,
               a.principal_id, a.kind, a.name
        FROM taken t JOIN exchanges e USING (message_id) JOIN conversations c USING (conversation_id)
            JOIN principals a ON a.principal_id = t.principal_id
        ORDER BY e.exchange_no;
END $$;

-- It failed: again after a pause. `for_good`: whoever asked may not write it any more.
CREATE FUNCTION put_off_distillation(message uuid, claim_ uuid, for_good boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF for_good THEN
        DELETE FROM pending_distillations p WHERE p.message_id = message AND p.claim = claim_;
        IF FOUND THEN
            UPDATE exchanges SET distillation = 'failed' WHERE message_id = put_off_distillation.message;
        END IF;
    ELSE
        UPDATE pending_distillations p SET claim = NULL, held_until = NULL,
                due_at = clock_timestamp() + p.attempts * p.attempts * interval '10 seconds'
            WHERE p.message_id = message AND p.claim = claim_;
    END IF;
END $$;

-- Whatever begins or ends an exchange: what its account says at that moment counts. A message that has no answer may be asked again
-- in other words, so it waits a while for them; one that has its answer is due.
CREATE FUNCTION mark_exchange() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.answer_id <> OLD.answer_id THEN
        NEW.distillation := CASE WHEN distils(NEW.account_id, (
            SELECT c.project_id FROM conversations c WHERE c.conversation_id = NEW.conversation_id)) THEN 'pending' ELSE 'off' END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER marked BEFORE INSERT OR UPDATE OF answer_id ON exchanges FOR EACH ROW EXECUTE FUNCTION mark_exchange();

CREATE FUNCTION queue_exchange() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NEW.distillation = 'pending' AND my_credential() IS NOT NULL THEN
        PERFORM queue_distillation(NEW.message_id, CASE NEW.state WHEN 'done' THEN clock_timestamp()
            ELSE clock_timestamp() + interval '10 minutes' END);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER queued AFTER INSERT OR UPDATE OF state, answer_id ON exchanges FOR EACH ROW EXECUTE FUNCTION queue_exchange();

CALL keep_functions(
    for_requests => ARRAY['mute_exchange', 'settle_distillation'],
    for_jobs => ARRAY['claim_distillations', 'put_off_distillation']);
