-- Distillation: what of a conversation became memory, batch by batch, so that it can be seen and undone. Ids, never a text.

-- The batch that wrote it. What others join, or a hand has changed, stays when the batch is undone.
ALTER TABLE memories ADD COLUMN batch_id uuid;
CREATE INDEX memories_batch ON memories (batch_id) WHERE batch_id IS NOT NULL;

CREATE TABLE distillations (
    tenant_id       int NOT NULL REFERENCES tenants,
    batch_id        uuid PRIMARY KEY,
    account_id      int NOT NULL REFERENCES principals,
    project_id      text NOT NULL,
    made_by         int NOT NULL REFERENCES principals,
    -- Of a turn of this conversation, by itself.
    conversation_id uuid,
    by_model        boolean NOT NULL,
    at              timestamptz NOT NULL DEFAULT now(),
    undone_at       timestamptz
);
CREATE INDEX distillations_of ON distillations (account_id, batch_id);
CALL keep_table('distillations');

-- What was heard, and why nothing was kept of it. `words` is a hash of the message's project, id and words: the same again
-- adds nothing, not even what was deleted since. `pair` is a hash of it and of what was said before it, whatever their ids, `tail`
-- of what the next message follows, `stirred` whether something was written up to here: so a conversation that comes again under
-- other ids is known by its order.
CREATE TABLE distilled_messages (
    tenant_id  int NOT NULL REFERENCES tenants,
    batch_id   uuid NOT NULL REFERENCES distillations ON DELETE CASCADE,
    ordinal    int NOT NULL,
    account_id int NOT NULL REFERENCES principals,
    message_id text NOT NULL,
    words      bytea NOT NULL,
    skipped    text,
    pair       bytea,
    tail       bytea,
    stirred    boolean NOT NULL,
    PRIMARY KEY (batch_id, ordinal)
);
CREATE INDEX distilled_messages_heard ON distilled_messages (account_id, words);
CREATE INDEX distilled_messages_followed ON distilled_messages (account_id, pair) WHERE pair IS NOT NULL;
CALL keep_table('distilled_messages');

CREATE TABLE distilled_facts (
    tenant_id  int NOT NULL REFERENCES tenants,
    batch_id   uuid NOT NULL REFERENCES distillations ON DELETE CASCADE,
    ordinal    int NOT NULL,
    account_id int NOT NULL REFERENCES principals,
    message_id text NOT NULL,
    memory_id  uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    outcome    text NOT NULL CHECK (outcome IN ('stored', 'merged', 'superseding', 'held', 'repeat')),
    quote_hash text NOT NULL,
    PRIMARY KEY (batch_id, ordinal)
);
CREATE INDEX distilled_facts_memory ON distilled_facts (memory_id);
CREATE INDEX distilled_facts_message ON distilled_facts (account_id, message_id);
CALL keep_table('distilled_facts');

-- Whether turns of chat are distilled by themselves: for a project, else for the account, else yes.
CREATE TABLE distill_settings (
    tenant_id  int NOT NULL REFERENCES tenants,
    account_id int NOT NULL REFERENCES principals,
    project_id text,
    automatic  boolean NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX distill_settings_of ON distill_settings (account_id, project_id) NULLS NOT DISTINCT;
CALL keep_table('distill_settings');

GRANT SELECT ON distillations, distilled_messages, distilled_facts, distill_settings TO whoknows_request;
CREATE POLICY mine ON distillations FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));
CREATE POLICY mine ON distilled_messages FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));
CREATE POLICY mine ON distilled_facts FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));
CREATE POLICY mine ON distill_settings FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND account_id = (SELECT my_account()));

-- One at a time for an account: each sees what the one before it wrote.
CREATE FUNCTION distill_alone(account int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT pg_advisory_xact_lock(hashtextextended(format('distill %s', account), 0)) $$;

CREATE FUNCTION begin_distillation(batch uuid, project text, conversation uuid, model boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    PERFORM distill_alone(account);
    INSERT INTO distillations (tenant_id, batch_id, account_id, project_id, made_by, conversation_id, by_model)
        VALUES (my_tenant(), batch, account, project, my_actor(), conversation, model);
END $$;

-- What was heard and what became of it, in the transaction of the writing.
CREATE FUNCTION record_distillation(batch uuid, messages jsonb, facts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    IF NOT EXISTS (SELECT FROM distillations d WHERE d.batch_id = batch AND d.tenant_id = my_tenant()
                   AND d.account_id = account AND d.made_by = my_actor() AND d.undone_at IS NULL) THEN
        PERFORM refuse('no_account');
    END IF;
    INSERT INTO distilled_messages (tenant_id, batch_id, ordinal, account_id, message_id, words, skipped, pair, tail, stirred)
        SELECT my_tenant(), batch, m.ordinal, account, m.message_id, decode(m.words, 'hex'), m.skipped,
               decode(m.pair, 'hex'), decode(m.tail, 'hex'), m.stirred
        FROM jsonb_to_recordset(messages)
            AS m(ordinal int, message_id text, words text, skipped text, pair text, tail text, stirred boolean);
    INSERT INTO distilled_facts (tenant_id, batch_id, ordinal, account_id, message_id, memory_id, outcome, quote_hash)
        SELECT my_tenant(), batch, f.ordinal, account, f.message_id, f.memory_id, f.outcome, f.quote_hash
        FROM jsonb_to_recordset(facts) AS f(ordinal int, message_id text, memory_id uuid, outcome text, quote_hash text)
            JOIN memories m USING (memory_id)
        WHERE m.tenant_id = my_tenant() AND m.audience_id = ANY (my_audiences());
    PERFORM note('distill', batch::text, account,
        jsonb_build_object('messages', jsonb_array_length(messages), 'facts', jsonb_array_length(facts)));
END $$;

-- What the batch wrote goes, what that had overturned is current again (R6), and what it joined loses what it added. NULL where
-- there is no such batch; nothing more the second time. `released`: what it wrote and stays, because others said it too or a
-- hand has changed it since: it is somebody's own now.
CREATE FUNCTION undo_distillation(batch uuid, OUT deleted int, OUT restored int, OUT released int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
    ended timestamptz;
    doomed uuid[];
    before uuid[];
BEGIN
    PERFORM distill_alone(account);
    SELECT coalesce(d.undone_at, '-infinity') INTO ended FROM distillations d
        WHERE d.batch_id = batch AND d.tenant_id = my_tenant() AND d.account_id = account FOR UPDATE;
    IF ended IS NULL THEN
        RETURN;
    END IF;
    deleted := 0;
    restored := 0;
    released := 0;
    IF ended <> '-infinity' THEN
        RETURN;
    END IF;
    PERFORM FROM memories m WHERE m.batch_id = batch AND m.tenant_id = my_tenant() ORDER BY m.memory_no FOR UPDATE;
    doomed := ARRAY(
        SELECT m.memory_id FROM memories m
        WHERE m.batch_id = batch AND m.tenant_id = my_tenant()
          AND NOT EXISTS (SELECT FROM versions v WHERE v.memory_id = m.memory_id AND v.version > 1 AND v.change <> 'cut')
          AND NOT EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = m.memory_id AND o.author_id <> m.author_id)
          AND NOT EXISTS (
              SELECT FROM evidence e WHERE e.memory_id = m.memory_id AND NOT EXISTS (
                  SELECT FROM distilled_facts f WHERE f.batch_id = batch AND f.memory_id = e.memory_id
                    AND e.source_kind = 'message' AND f.message_id = e.locator)));
    before := ARRAY(SELECT m.memory_id FROM memories m WHERE m.superseded_by = ANY (doomed) AND NOT m.memory_id = ANY (doomed));
    DELETE FROM evidence e USING distilled_facts f
        WHERE f.batch_id = batch AND f.outcome <> 'repeat' AND NOT f.memory_id = ANY (doomed) AND e.memory_id = f.memory_id
          AND e.source_kind = 'message' AND e.locator = f.message_id AND e.quote_hash = f.quote_hash
          AND e.added_by = (SELECT d.made_by FROM distillations d WHERE d.batch_id = batch)
          AND NOT EXISTS (
              SELECT FROM distilled_facts o JOIN distillations d USING (batch_id)
              WHERE o.memory_id = f.memory_id AND o.message_id = f.message_id AND o.quote_hash = f.quote_hash
                AND o.batch_id <> batch AND d.undone_at IS NULL);
    UPDATE memories m SET batch_id = NULL WHERE m.batch_id = batch AND NOT m.memory_id = ANY (doomed);
    GET DIAGNOSTICS released = ROW_COUNT;
    deleted := coalesce((SELECT f.deleted FROM forget(doomed) f), 0);
    restored := (SELECT count(*) FROM memories m WHERE m.memory_id = ANY (before) AND m.state = 'active');
    UPDATE distillations SET undone_at = clock_timestamp() WHERE batch_id = batch;
    PERFORM note('distill.undo', batch::text, account, jsonb_build_object('deleted', deleted, 'restored', restored));
END $$;

-- A statement that changes another in part has the words of that one beside its own; this is its own (flows/relating.py).
CREATE FUNCTION own_part(words text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT split_part(split_part(words, '（此前：', 1), ' (before: ', 1) $$;

-- W9: where the other goes, so do its words beside a later statement. A job puts what is left into the index.
CREATE OR REPLACE FUNCTION cut_words(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    cut uuid[];
    nos bigint[];
    one uuid;
BEGIN
    cut := ARRAY(
        SELECT m.memory_id FROM memories m
        WHERE m.supersedes = ANY (ids) AND NOT m.memory_id = ANY (ids) AND m.content <> own_part(m.content)
          AND EXISTS (SELECT FROM distilled_facts f WHERE f.memory_id = m.memory_id AND f.outcome IN ('superseding', 'held')));
    IF cut = '{}' THEN
        RETURN cut;
    END IF;
    cut := with_copies(cut);
    nos := ARRAY(SELECT m.memory_no FROM memories m WHERE m.memory_id = ANY (cut) ORDER BY m.memory_no FOR UPDATE);
    PERFORM leave_postings(nos);
    DELETE FROM documents WHERE memory_no = ANY (nos);
    DELETE FROM passages WHERE memory_no = ANY (nos);
    UPDATE versions v SET content = own_part(v.content) WHERE v.memory_id = ANY (cut);
    UPDATE memories m SET content = own_part(m.content), content_hash = encode(sha256(convert_to(own_part(m.content), 'UTF8')), 'hex'),
            dedupe_key = decode(md5(m.memory_id::text), 'hex'), version = m.version + 1, embedded = false, updated_at = now()
        WHERE m.memory_id = ANY (cut);
    INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, subject, changed_by, change)
        SELECT m.tenant_id, m.memory_id, m.version, m.audience_id, m.content, m.title, m.category, m.tags, m.subject, m.author_id, 'cut'
        FROM memories m WHERE m.memory_id = ANY (cut);
    UPDATE evidence e SET quote = NULL, quote_start = NULL, quote_end = NULL, quote_hash = NULL, verified = false, verified_at = NULL
        FROM memories m
        WHERE e.source_memory = m.memory_id AND m.memory_id = ANY (cut) AND e.quote IS NOT NULL AND strpos(m.content, e.quote) = 0;
    INSERT INTO pending_embeddings (tenant_id, memory_id, author_id)
        SELECT m.tenant_id, m.memory_id, m.author_id FROM memories m WHERE m.memory_id = ANY (cut) ON CONFLICT DO NOTHING;
    FOREACH one IN ARRAY cut LOOP
        PERFORM queue_embedding(one);
    END LOOP;
    RETURN cut;
END $$;

-- For the job: whether the words of a memory are in no index, and how they come into it.
CREATE FUNCTION is_unindexed(memory uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT NOT EXISTS (SELECT FROM documents d JOIN memories m USING (memory_no) WHERE m.memory_id = memory) $$;
CREATE FUNCTION index_again(memory uuid, version_ int, terms_ bigint[], frequencies_ int[], length_ int, wide_ boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory FOR UPDATE;
    IF NOT FOUND OR m.version <> version_ OR NOT is_unindexed(memory) THEN
        RETURN;
    END IF;
    UPDATE memories SET wide = wide_ WHERE memory_id = memory;
    INSERT INTO documents (tenant_id, memory_no, audience_id, live, length, expires_at, terms, frequencies)
        VALUES (m.tenant_id, m.memory_no, m.audience_id, m.state = 'active', length_, m.expires_at, terms_, frequencies_);
    IF m.state = 'active' THEN
        PERFORM enter_postings(ARRAY[m.memory_no]);
    END IF;
END $$;

-- NULL takes the word of the project (or account) back: then what stands above it holds.
CREATE FUNCTION set_distilling(project text, automatic_ boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int := my_conversing_account();
BEGIN
    IF automatic_ IS NULL THEN
        DELETE FROM distill_settings s WHERE s.account_id = account AND s.project_id IS NOT DISTINCT FROM project;
    ELSE
        INSERT INTO distill_settings (tenant_id, account_id, project_id, automatic)
            VALUES (my_tenant(), account, project, automatic_)
            ON CONFLICT (account_id, project_id) DO UPDATE SET automatic = excluded.automatic, saved_at = now();
    END IF;
    PERFORM note('distill.set', NULL, account, jsonb_build_object('automatic', automatic_));
END $$;

CREATE FUNCTION distils(account int, project text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(
        (SELECT s.automatic FROM distill_settings s WHERE s.account_id = account AND s.project_id = project),
        (SELECT s.automatic FROM distill_settings s WHERE s.account_id = account AND s.project_id IS NULL), true)
$$;

-- Of members that were deleted so long ago.
CREATE FUNCTION sweep_distillations(grace interval) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM distill_settings s USING principals p WHERE p.principal_id = s.account_id AND p.deleted_at < now() - grace;
    DELETE FROM distillations d USING principals p WHERE p.principal_id = d.account_id AND p.deleted_at < now() - grace;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(
    for_requests => ARRAY['begin_distillation', 'record_distillation', 'undo_distillation', 'set_distilling'],
    for_jobs => ARRAY['is_unindexed', 'index_again', 'sweep_distillations']);
