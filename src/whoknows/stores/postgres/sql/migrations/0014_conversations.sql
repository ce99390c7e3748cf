-- Conversations with the master agent: one account's only. An exchange is a message and what was answered; it is there before
-- a model is asked. `alive_until` is pushed on while somebody waits for the answer: past it the message is left unanswered.

CREATE TABLE conversations (
    tenant_id       int NOT NULL REFERENCES tenants,
    conversation_id uuid PRIMARY KEY,
    account_id      int NOT NULL REFERENCES principals,
    project_id      text NOT NULL,
    title           text NOT NULL,
    -- The id of its newest message: conversations are listed by it, and a page goes on behind it.
    latest          uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX conversations_of ON conversations (account_id, latest);
CALL keep_table('conversations');

-- `sources` are ids and scores of memories: what they say is read under the standing of the day. An answer in evidence mode
-- is made of them alone, so its text is not kept either: a memory that is deleted is gone from the answer too.
CREATE TABLE exchanges (
    tenant_id       int NOT NULL REFERENCES tenants,
    exchange_no     bigint GENERATED ALWAYS AS IDENTITY,
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    account_id      int NOT NULL REFERENCES principals,
    message_id      uuid PRIMARY KEY,
    answer_id       uuid NOT NULL UNIQUE,
    asked_by        int NOT NULL REFERENCES principals,
    message         text NOT NULL,
    state           text NOT NULL CHECK (state IN ('sending', 'done', 'failed')),
    fault           text,
    asked_at        timestamptz NOT NULL DEFAULT now(),
    alive_until     timestamptz NOT NULL,
    answer          text,
    mode            text CHECK (mode IN ('full', 'evidence')),
    model           text,
    effort          text,
    trace_ids       uuid[] NOT NULL DEFAULT '{}',
    sources         jsonb NOT NULL DEFAULT '[]',
    answered_at     timestamptz,
    CHECK ((state = 'failed') = (fault IS NOT NULL)),
    CHECK ((state = 'sending') = (answered_at IS NULL))
);
CREATE INDEX exchanges_of ON exchanges (conversation_id, exchange_no);
CALL keep_table('exchanges');
GRANT USAGE ON ALL SEQUENCES IN SCHEMA whoknows TO whoknows_definer;

GRANT SELECT ON conversations, exchanges TO whoknows_request;
CREATE POLICY mine ON conversations FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));
CREATE POLICY mine ON exchanges FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));

-- Whose conversations these are: the member's, or the one's that a main agent works for. Nobody else has any.
CREATE FUNCTION my_conversing_account() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_account();
BEGIN
    IF my_actor() IS NULL OR account IS NULL THEN
        PERFORM refuse('no_account');
    END IF;
    RETURN account;
END $$;

-- Keeps a message, before a model is asked. `answer_id_` is that of this attempt: who was given up in an earlier one finds its
-- own gone. A new conversation where `title_` is given; otherwise one of the account's, in the same project, or false.
-- `again`: an exchange of it that failed or was left unanswered; false where it is none.
CREATE FUNCTION begin_exchange(conversation uuid, project text, title_ text, message_id_ uuid, answer_id_ uuid, message_ text,
                               again boolean, lease interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    IF title_ IS NOT NULL THEN
        INSERT INTO conversations (tenant_id, conversation_id, account_id, project_id, title, latest)
            VALUES (my_tenant(), conversation, account, project, title_, message_id_);
    ELSE
        UPDATE conversations c SET updated_at = clock_timestamp(), latest = greatest(c.latest, message_id_)
            WHERE c.conversation_id = conversation AND c.tenant_id = my_tenant() AND c.account_id = account AND c.project_id = project;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    IF again THEN
        UPDATE exchanges e SET answer_id = answer_id_, message = message_, state = 'sending', fault = NULL, answer = NULL,
                mode = NULL, model = NULL, effort = NULL, sources = '[]', answered_at = NULL, asked_by = my_actor(), asked_at = clock_timestamp(),
                alive_until = clock_timestamp() + lease
            WHERE e.message_id = message_id_ AND e.conversation_id = conversation
              AND (e.state = 'failed' OR (e.state = 'sending' AND e.alive_until < clock_timestamp()));
        RETURN FOUND;
    END IF;
    INSERT INTO exchanges (tenant_id, conversation_id, account_id, message_id, answer_id, asked_by, message, state, alive_until)
        VALUES (my_tenant(), conversation, account, message_id_, answer_id_, my_actor(), message_, 'sending',
                clock_timestamp() + lease);
    RETURN true;
END $$;

-- Somebody still waits for this answer. False where the exchange is gone, has ended, or is asked anew by another.
CREATE FUNCTION renew_exchange(answer_id_ uuid, lease interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    UPDATE exchanges SET alive_until = clock_timestamp() + lease
        WHERE answer_id = answer_id_ AND tenant_id = my_tenant() AND account_id = account AND asked_by = my_actor()
          AND state = 'sending';
    RETURN FOUND;
END $$;

-- The answer, or why there is none. An answer that broke off comes with both. False where the exchange is gone meanwhile: then
-- nothing of it is kept, and no trace either.
CREATE FUNCTION finish_exchange(answer_id_ uuid, fault_ text, answer_ text, mode_ text, model_ text, effort_ text,
                                sources_ jsonb, trace_ uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    -- The conversation first, as who deletes it does: neither waits for the other in a circle.
    PERFORM FROM conversations c JOIN exchanges e USING (conversation_id)
        WHERE e.answer_id = answer_id_ AND c.account_id = account FOR UPDATE OF c;
    UPDATE exchanges SET state = CASE WHEN fault_ IS NULL THEN 'done' ELSE 'failed' END, fault = fault_, answer = answer_,
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

-- Everything of a conversation goes: messages, answers, and the traces of its answers, which hold the questions.
CREATE FUNCTION erase_conversations(ids uuid[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    PERFORM FROM conversations WHERE conversation_id = ANY (ids) ORDER BY conversation_id FOR UPDATE;
    -- Its own: whatever an exchange names, the trace says itself which conversation it is of.
    DELETE FROM traces t USING exchanges e WHERE e.conversation_id = ANY (ids) AND t.trace_id = ANY (e.trace_ids)
        AND t.tenant_id = e.tenant_id AND t.body ->> 'conversation' = e.conversation_id::text;
    DELETE FROM exchanges WHERE conversation_id = ANY (ids);
    DELETE FROM conversations WHERE conversation_id = ANY (ids);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CREATE FUNCTION forget_conversation(conversation uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    IF NOT EXISTS (SELECT FROM conversations c
                   WHERE c.conversation_id = conversation AND c.tenant_id = my_tenant() AND c.account_id = account) THEN
        RETURN false;
    END IF;
    IF erase_conversations(ARRAY[conversation]) = 0 THEN
        RETURN false;
    END IF;
    PERFORM note('conversation.delete', conversation::text, account);
    RETURN true;
END $$;

-- Of members that were deleted so long ago.
CREATE FUNCTION sweep_conversations(grace interval, most int) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT erase_conversations(ARRAY(
        SELECT c.conversation_id FROM principals p JOIN conversations c ON c.account_id = p.principal_id
        WHERE p.deleted_at < now() - grace LIMIT most))
$$;

CALL keep_functions(
    for_requests => ARRAY['begin_exchange', 'renew_exchange', 'finish_exchange', 'forget_conversation'],
    for_jobs => ARRAY['sweep_conversations']);
