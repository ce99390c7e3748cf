-- The gate (rules W5, W8, W10): who sets it, what waits for a reviewer, what was refused, one current statement of a subject; and
-- deletion (W9) that follows what was derived from a text.

-- What waits is little, among much that does not.
CREATE INDEX memories_held ON memories (audience_id, memory_id) WHERE state = 'held';
CREATE INDEX memories_subject ON memories (audience_id, subject) WHERE subject IS NOT NULL AND state = 'active';

-- What a draft said while it was held, and says no more, nobody let in: it stays its writer's and the reviewers' (R1), also once
-- the draft is active in other words.
ALTER TABLE versions ADD COLUMN held boolean NOT NULL DEFAULT false;
DROP POLICY visible ON versions;
CREATE POLICY visible ON versions FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND (NOT held OR changed_by = (SELECT my_principal()) OR audience_id = ANY ((SELECT my_reviews())::int[]))
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = versions.memory_id));
CREATE FUNCTION leave_held_words() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE versions SET held = true WHERE memory_id = OLD.memory_id AND version = OLD.version;
    RETURN NULL;
END $$;
CREATE TRIGGER held_words AFTER UPDATE OF version ON memories FOR EACH ROW
    WHEN (OLD.state = 'held' AND NEW.version > OLD.version) EXECUTE FUNCTION leave_held_words();

-- Per account as per team: the member itself sets it, or an administrator.
CREATE FUNCTION change_member_gate(member int, gate_ text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF member IS DISTINCT FROM my_actor() THEN
        PERFORM must_administer();
    END IF;
    UPDATE principals SET gate = gate_ WHERE principal_id = member AND tenant_id = my_tenant() AND kind = 'member' AND deleted_at IS NULL;
    PERFORM note('member.gate', name_of(member), member, jsonb_build_object('gate', gate_));
END $$;

-- W8: those who write about one subject in one audience come one after the other, until their commit.
CREATE FUNCTION lock_subjects(keys bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k bigint;
BEGIN
    FOR k IN SELECT DISTINCT unnest(keys) ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(k);
    END LOOP;
END $$;

-- Words that several wrote: the actor takes its name and its evidence away, and they stay the others'. What the actor alone had said
-- before them is overturned by `next` then, which is what it says now. False where it is alone.
CREATE FUNCTION leave_words(memory uuid, next uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    earlier uuid[];
BEGIN
    PERFORM FROM memories WHERE (memory_id IN (memory, next) OR superseded_by = memory) AND tenant_id = my_tenant() ORDER BY memory_no FOR UPDATE;
    IF NOT EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = memory AND o.author_id = my_actor() AND o.tenant_id = my_tenant())
       OR NOT EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = memory AND o.author_id <> my_actor())
       OR NOT EXISTS (SELECT FROM memories n JOIN memories m ON m.memory_id = memory AND m.audience_id = n.audience_id
                      WHERE n.memory_id = next AND n.state = 'active' AND i_may_change(n.audience_id, n.author_id, n.memory_id)) THEN
        RETURN false;
    END IF;
    DELETE FROM memory_authors WHERE memory_id = memory AND author_id = my_actor();
    DELETE FROM evidence WHERE memory_id = memory AND added_by = my_actor();
    UPDATE memories m SET author_id = (
        SELECT o.author_id FROM memory_authors o WHERE o.memory_id = m.memory_id ORDER BY o.at, o.author_id LIMIT 1)
        WHERE m.memory_id = memory AND m.author_id = my_actor();
    earlier := ARRAY(SELECT p.memory_id FROM memories p WHERE p.superseded_by = memory AND NOT EXISTS (
        SELECT FROM memory_authors o WHERE o.memory_id = p.memory_id AND o.author_id <> my_actor()));
    IF earlier <> '{}' THEN
        UPDATE memories SET superseded_by = next WHERE memory_id = ANY (earlier);
        UPDATE memories m SET supersedes = coalesce(m.supersedes, earlier[1]) WHERE m.memory_id = next;
        UPDATE memories m SET supersedes = (SELECT p.memory_id FROM memories p WHERE p.superseded_by = memory LIMIT 1) WHERE m.memory_id = memory;
    END IF;
    PERFORM note('memory.leave', memory::text);
    RETURN true;
END $$;

-- W10: what did not go in, told to who wanted it in. Never a text.
CREATE TABLE ledger (
    tenant_id     int NOT NULL REFERENCES tenants,
    ledger_id     uuid PRIMARY KEY,
    principal_id  int NOT NULL REFERENCES principals,
    credential_id uuid,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    route         text NOT NULL,
    code          text NOT NULL,
    detail        text NOT NULL,
    findings      jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX ledger_of ON ledger (principal_id, ledger_id);
CREATE INDEX ledger_age ON ledger (at);
CALL keep_table('ledger');
GRANT SELECT, INSERT ON ledger TO whoknows_request;
CREATE POLICY mine ON ledger FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_principal()));
CREATE POLICY written ON ledger FOR INSERT TO whoknows_request
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_actor()) AND credential_id = (SELECT my_credential()));
GRANT SELECT, DELETE ON ledger TO whoknows_jobs;
CREATE POLICY jobs ON ledger TO whoknows_jobs USING (true);

-- W5: a member with write rights there who is not the author; of account memory the member. Who published a copy is its author too.
CREATE FUNCTION i_may_review(memory uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT my_actor() IS NOT NULL AND m.audience_id = ANY (my_reviews())
            AND (a.owner_id = my_actor() OR (
                m.author_id <> my_actor()
                AND NOT EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = m.memory_id AND o.author_id = my_actor())
                AND NOT EXISTS (SELECT FROM copies c WHERE c.memory_id = m.memory_id AND c.made_by = my_actor())))
        FROM memories m JOIN audiences a USING (audience_id)
        WHERE m.memory_id = memory AND m.tenant_id = my_tenant() AND m.state = 'held'), false)
$$;

-- As in 0005, for whoever has checked the right already.
CREATE FUNCTION put_index(memory uuid, terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO STRICT m FROM memories WHERE memory_id = memory FOR UPDATE;
    IF EXISTS (SELECT FROM documents WHERE memory_no = m.memory_no) THEN  -- an edit; a new memory has nothing to leave
        PERFORM leave_postings(ARRAY[m.memory_no]);
        DELETE FROM documents WHERE memory_no = m.memory_no;
        DELETE FROM passages WHERE memory_no = m.memory_no;
        DELETE FROM pending_embeddings WHERE memory_id = memory;
    END IF;
    INSERT INTO documents (tenant_id, memory_no, audience_id, live, length, expires_at, terms, frequencies)
        VALUES (m.tenant_id, m.memory_no, m.audience_id, m.state = 'active', length_, m.expires_at, terms_, frequencies_);
    IF m.state = 'active' THEN
        PERFORM enter_postings(ARRAY[m.memory_no]);
    END IF;
    INSERT INTO passages (tenant_id, audience_id, memory_no, passage_no, live, expires_at, embedding)
        SELECT m.tenant_id, m.audience_id, m.memory_no, v.n, m.state = 'active', m.expires_at, v.e
        FROM unnest(vectors) WITH ORDINALITY v(e, n);
    IF pending THEN
        INSERT INTO pending_embeddings (tenant_id, memory_id, author_id) VALUES (m.tenant_id, memory, m.author_id);
        PERFORM queue_embedding(memory);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION index_memory(memory uuid, terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR NOT i_may_change(m.audience_id, m.author_id, m.memory_id) THEN
        PERFORM refuse('may_not_change');
    END IF;
    PERFORM put_index(memory, terms_, frequencies_, length_, vectors, pending);
END $$;

-- A reviewer's own words for what waits. False where it is not that version any more; copies keep the words of their original.
CREATE FUNCTION reword(memory uuid, version_ int, content_ text, title_ text, hash text, key bytea, wide_ boolean, terms_ bigint[],
                       frequencies_ int[], length_ int, vectors halfvec[], pending boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT i_may_review(memory) THEN
        PERFORM refuse('may_not_review');
    END IF;
    IF m.origin IS NOT NULL THEN
        PERFORM refuse('a_copy_keeps_its_words');
    END IF;
    IF m.version <> version_ THEN
        RETURN false;
    END IF;
    UPDATE memories SET content = content_, title = title_, content_hash = hash, dedupe_key = key, wide = wide_, version = version_ + 1,
            embedded = NOT pending, updated_at = now()
        WHERE memory_id = memory;
    INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, subject, changed_by, change)
        VALUES (m.tenant_id, memory, version_ + 1, m.audience_id, content_, title_, m.category, m.tags, m.subject, my_actor(), 'reviewed');
    PERFORM put_index(memory, terms_, frequencies_, length_, vectors, pending);
    RETURN true;
END $$;

-- A reviewer lets in what waits. stored; merged: the same words were there already (`into_`); superseding: what it names has given
-- way; stale: what it wants to overturn is not current any more.
CREATE FUNCTION admit(memory uuid, OUT outcome text, OUT into_ uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
    o memories%ROWTYPE;
BEGIN
    SELECT supersedes INTO o.memory_id FROM memories WHERE memory_id = memory AND tenant_id = my_tenant();
    PERFORM FROM memories WHERE memory_id IN (memory, o.memory_id) ORDER BY memory_no FOR UPDATE;
    SELECT * INTO m FROM memories WHERE memory_id = memory;
    IF NOT i_may_review(memory) THEN
        PERFORM refuse('may_not_review');
    END IF;
    into_ := memory;
    SELECT * INTO o FROM memories WHERE memory_id = m.supersedes AND audience_id = m.audience_id;
    IF o.memory_id IS NOT NULL THEN
        IF o.state <> 'active' THEN
            outcome := 'stale';
            RETURN;
        END IF;
        -- Its author's own statement gives way to its author's new one; anybody else's only by the right of W3.
        IF NOT (o.author_id = m.author_id AND NOT EXISTS (
                SELECT FROM memory_authors x WHERE x.memory_id = o.memory_id AND x.author_id <> m.author_id))
           AND NOT (i_may_change(o.audience_id, o.author_id, o.memory_id) AND (
                team_role(my_actor(), (SELECT owner_id FROM audiences WHERE audience_id = o.audience_id)) = 'owner'
                OR NOT EXISTS (SELECT FROM memory_authors x WHERE x.memory_id = o.memory_id AND x.author_id <> my_actor()))) THEN
            PERFORM refuse('may_not_change');
        END IF;
    END IF;
    IF m.origin IS NULL THEN
        SELECT d.memory_id INTO into_ FROM memories d
            WHERE d.state = 'active' AND d.audience_id = m.audience_id AND d.dedupe_key = m.dedupe_key
              AND d.dedupe_author IS NOT DISTINCT FROM m.dedupe_author AND d.project_id IS NOT DISTINCT FROM m.project_id
              AND d.session_id IS NOT DISTINCT FROM m.session_id AND d.expires_at IS NOT DISTINCT FROM m.expires_at
              AND d.origin IS NULL AND d.injected_by_id IS NULL
            FOR UPDATE;
    END IF;
    IF into_ IS DISTINCT FROM memory AND into_ IS NOT NULL THEN
        INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id, at)
            SELECT tenant_id, into_, audience_id, author_id, at FROM memory_authors WHERE memory_id = memory ON CONFLICT DO NOTHING;
        UPDATE evidence e SET memory_id = into_ WHERE e.memory_id = memory AND NOT EXISTS (
            SELECT FROM evidence x WHERE x.memory_id = into_ AND x.added_by = e.added_by AND x.source_kind = e.source_kind
              AND x.locator = e.locator AND x.revision IS NOT DISTINCT FROM e.revision AND x.quote_hash IS NOT DISTINCT FROM e.quote_hash);
        PERFORM note('memory.admit', memory::text, m.author_id, jsonb_build_object('into', into_));
        PERFORM erase(ARRAY[memory], my_actor());
        outcome := 'merged';
    ELSE
        into_ := memory;
        UPDATE memories SET state = 'active', supersedes = o.memory_id, updated_at = now() WHERE memory_id = memory;
        PERFORM set_live(ARRAY[m.memory_no], true);
        PERFORM note('memory.admit', memory::text, m.author_id);
        outcome := 'stored';
    END IF;
    IF o.memory_id IS NOT NULL AND o.memory_id <> into_ THEN
        PERFORM set_live(ARRAY[o.memory_no], false);
        UPDATE memories SET state = 'superseded', superseded_by = into_, superseded_at = now(), updated_at = now()
            WHERE memory_id = o.memory_id;
        UPDATE memories SET supersedes = coalesce(supersedes, o.memory_id), reason = coalesce(reason, m.reason) WHERE memory_id = into_;
        PERFORM note('memory.supersede', o.memory_id::text, NULL, jsonb_build_object('by', into_));
        outcome := 'superseding';
    END IF;
END $$;

-- A reviewer does not let it in: it is deleted, and its author's ledger says so.
CREATE FUNCTION reject_memory(memory uuid, entry uuid, why text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT i_may_review(memory) THEN
        PERFORM refuse('may_not_review');
    END IF;
    INSERT INTO ledger (tenant_id, ledger_id, principal_id, route, code, detail)
        VALUES (m.tenant_id, entry, coalesce((SELECT c.made_by FROM copies c WHERE c.memory_id = memory), m.author_id), 'review',
                'rejected', why);
    PERFORM note('memory.reject', memory::text, m.author_id);
    PERFORM erase(ARRAY[memory], my_actor());
END $$;

-- W9: what was derived from a text goes with it. Those who derive replace these.
-- Memories that state what others say, and go with any of them.
CREATE FUNCTION derived_from(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$ SELECT '{}'::uuid[] $$;
-- Quotes from these memories leave the evidence of others.
CREATE FUNCTION leave_evidence(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$ SELECT $$;
-- What was distilled from stored answers that rested on them.
CREATE FUNCTION distilled_from_answers(ids uuid[]) RETURNS uuid[]
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$ SELECT '{}'::uuid[] $$;
-- Memories that have words of these beside their own, and copies of those: they keep their own. Which they are.
CREATE FUNCTION cut_words(ids uuid[]) RETURNS uuid[]
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$ SELECT '{}'::uuid[] $$;
-- Stored answers that rested on them.
CREATE FUNCTION leave_answers(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$ SELECT $$;

-- `ids`, their copies, what rests on either, the copies of that, and so on.
CREATE FUNCTION with_everything(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    every uuid[] := with_copies(ids);
    more uuid[];
BEGIN
    LOOP
        more := ARRAY(SELECT unnest(derived_from(every)) EXCEPT SELECT unnest(every));
        EXIT WHEN more = '{}';
        every := every || ARRAY(SELECT unnest(with_copies(more)) EXCEPT SELECT unnest(every));
    END LOOP;
    RETURN every;
END $$;

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
    INSERT INTO tombstones (tenant_id, memory_id, deleted_by)
        SELECT tenant_id, memory_id, who FROM memories WHERE memory_id = ANY (every) ON CONFLICT DO NOTHING;
    DELETE FROM memories WHERE memory_id = ANY (every);
    RETURN n;
END $$;

CREATE OR REPLACE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    r memories%ROWTYPE;
    what text;
BEGIN
    r := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    what := CASE
        WHEN TG_OP = 'INSERT' THEN 'memory.captured'
        WHEN TG_OP = 'DELETE' THEN 'memory.deleted'
        WHEN OLD.audience_id <> NEW.audience_id THEN 'memory.moved'
        WHEN OLD.state = 'held' AND NEW.state = 'active' THEN 'memory.admitted'
        WHEN OLD.state <> NEW.state THEN 'memory.' || CASE NEW.state WHEN 'active' THEN 'restored' ELSE NEW.state END
        WHEN OLD.version <> NEW.version THEN 'memory.edited'
    END;
    IF what IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO events (tenant_id, audience_id, kind, memory_id, author_id, held)
        VALUES (r.tenant_id, r.audience_id, what, r.memory_id, r.author_id, r.state = 'held');
    IF what = 'memory.moved' THEN
        INSERT INTO events (tenant_id, audience_id, kind, memory_id, author_id)
            VALUES (r.tenant_id, OLD.audience_id, 'memory.moved', r.memory_id, r.author_id);
    END IF;
    PERFORM pg_notify('whoknows_events', r.tenant_id::text);
    RETURN NULL;
END $$;

CALL keep_functions(for_requests => ARRAY['change_member_gate', 'i_may_review', 'lock_subjects', 'leave_words', 'reword', 'admit', 'reject_memory']);
