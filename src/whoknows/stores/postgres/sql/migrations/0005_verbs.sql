-- What a plain statement of the request role cannot do: each function checks its rule again, then does it.
-- Refusals are raised as insufficient_privilege with the code of the interface as message.

CREATE FUNCTION refuse(code text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = code;
END $$;

CREATE FUNCTION note(action text, target text, concerns int DEFAULT NULL, detail jsonb DEFAULT '{}') RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    INSERT INTO audit (tenant_id, credential_id, principal_id, action, target, concerns, detail)
    VALUES (my_tenant(), my_credential(), my_principal(), action, target, concerns, detail)
$$;

-- The row of an audience, made if it is new. The caller may write there, and everyone named exists, or is on the team.
CREATE FUNCTION intern_audience(layer text, owner int, named int[], task text, session text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT coalesce(i_may_write(layer, owner), false) THEN
        PERFORM refuse('may_not_write');
    END IF;
    IF task IS NOT NULL AND task IS DISTINCT FROM my_task() THEN
        PERFORM refuse('not_your_task');
    END IF;
    IF EXISTS (SELECT FROM unnest(named) n(id) LEFT JOIN principals p ON p.principal_id = n.id
                   AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL AND p.kind <> 'team'
               WHERE p.principal_id IS NULL
                  OR (intern_audience.layer = 'team' AND team_role(p.principal_id, owner) IS NULL)) THEN
        PERFORM refuse('unknown_reader');
    END IF;
    RETURN put_audience(my_tenant(), layer, owner, named, task, session);
END $$;

CREATE FUNCTION put_audience(tenant int, layer_ text, owner int, named int[], task text, session text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    sorted int[] := ARRAY(SELECT DISTINCT n FROM unnest(named) n ORDER BY n);
    found int;
BEGIN
    SELECT audience_id INTO found FROM audiences a
        WHERE a.tenant_id = tenant AND a.layer = layer_ AND a.owner_id = owner AND a.readers = sorted
          AND a.task_id IS NOT DISTINCT FROM task AND a.session_id IS NOT DISTINCT FROM session;
    IF found IS NOT NULL THEN
        RETURN found;
    END IF;
    INSERT INTO audiences (tenant_id, layer, owner_id, readers, task_id, session_id)
        VALUES (tenant, layer_, owner, sorted, task, session)
        ON CONFLICT DO NOTHING RETURNING audience_id INTO found;
    IF found IS NULL THEN  -- another transaction made it just now
        SELECT audience_id INTO STRICT found FROM audiences a
            WHERE a.tenant_id = tenant AND a.layer = layer_ AND a.owner_id = owner AND a.readers = sorted
              AND a.task_id IS NOT DISTINCT FROM task AND a.session_id IS NOT DISTINCT FROM session;
        RETURN found;
    END IF;
    INSERT INTO audience_grants (tenant_id, audience_id, kind, to_id, team_id, owner_id, layer, task_id, session_id)
        SELECT tenant, found, g.kind, g.to_id, g.team_id, owner, layer_, task, session
        FROM (
            SELECT 'self' AS kind, n AS to_id, NULL::int AS team_id FROM unnest(sorted) n WHERE layer_ <> 'team'
            UNION ALL SELECT 'team', owner, NULL WHERE layer_ = 'team' AND sorted = '{}'
            UNION ALL SELECT 'while_on_team', n, owner FROM unnest(sorted) n WHERE layer_ = 'team'
            UNION ALL SELECT 'team_owners', owner, owner WHERE layer_ = 'team' AND sorted <> '{}'
        ) g;
    RETURN found;
END $$;

-- The next place in a conversation, for neighbours: by author and audience, so that nothing hidden moves it.
CREATE FUNCTION next_ordinal(audience int, author int, session text) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(session_ordinal), 0) + 1 FROM memories
    WHERE audience_id = audience AND author_id = author AND session_id = session
$$;

-- Into both arms. NULL vectors and `pending` leave the dense arm to a job; the text can be found by its words at once.
CREATE FUNCTION index_memory(memory uuid, terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR NOT i_may_change(m.audience_id, m.author_id, m.memory_id) THEN
        PERFORM refuse('may_not_change');
    END IF;
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

CREATE FUNCTION enter_postings(nos bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    INSERT INTO postings (tenant_id, audience_id, term, memory_no, frequency, length, expires_at)
        SELECT d.tenant_id, d.audience_id, t.term, d.memory_no, t.frequency, d.length, d.expires_at
        FROM documents d, unnest(d.terms, d.frequencies) t(term, frequency)
        WHERE d.memory_no = ANY (nos) AND d.live
$$;

CREATE FUNCTION leave_postings(nos bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    DELETE FROM postings p USING (
        SELECT d.audience_id, d.memory_no, unnest(d.terms) AS term FROM documents d WHERE d.memory_no = ANY (nos)) d
    WHERE p.audience_id = d.audience_id AND p.term = d.term AND p.memory_no = d.memory_no
$$;

-- Into or out of the arms as the state says.
CREATE FUNCTION set_live(nos bigint[], alive boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT alive THEN
        PERFORM leave_postings(nos);
    END IF;
    UPDATE documents SET live = alive WHERE memory_no = ANY (nos);
    UPDATE passages SET live = alive WHERE memory_no = ANY (nos);
    IF alive THEN
        PERFORM enter_postings(nos);
    END IF;
END $$;

-- W7: a row whose words another author joins, locked until the commit: it is not deleted, moved or edited under the name that
-- joins it. Its audience, or NULL where it is not that row any more.
CREATE FUNCTION hold(memory uuid, words bytea) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT m.audience_id FROM memories m
    WHERE m.memory_id = memory AND m.tenant_id = my_tenant() AND m.state = 'active' AND m.dedupe_key = words
      AND i_may_write_audience(m.audience_id)
    FOR SHARE
$$;

-- W8: `old` gives way to `new`. Compare-and-swap: false where it was not current any more.
CREATE FUNCTION supersede(old uuid, new uuid, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = old AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR NOT i_may_change(m.audience_id, m.author_id, m.memory_id) THEN
        PERFORM refuse('may_not_change');
    END IF;
    IF m.state <> 'active' OR NOT EXISTS (
        SELECT FROM memories n WHERE n.memory_id = new AND n.audience_id = m.audience_id AND n.state = 'active') THEN
        RETURN false;
    END IF;
    PERFORM set_live(ARRAY[m.memory_no], false);
    UPDATE memories SET state = 'superseded', superseded_by = new, superseded_at = now(), updated_at = now()
        WHERE memory_id = old;
    UPDATE memories SET supersedes = coalesce(supersedes, old), reason = coalesce(reason, why) WHERE memory_id = new;
    PERFORM note('memory.supersede', old::text, NULL, jsonb_build_object('by', new));
    RETURN true;
END $$;

-- What `gone` had overturned: current again, or handed to the successor of `gone` if it has one.
CREATE FUNCTION revive(gone uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p record;
    heir uuid;
BEGIN
    FOR p IN SELECT m.*, g.superseded_by AS next FROM memories m JOIN memories g ON g.memory_id = m.superseded_by
             WHERE m.superseded_by = ANY (gone) AND NOT m.memory_id = ANY (gone) LOOP
        heir := p.next;
        WHILE heir = ANY (gone) LOOP
            SELECT superseded_by INTO heir FROM memories WHERE memory_id = heir;
        END LOOP;
        IF heir IS NULL THEN  -- an equal text may have been written meanwhile: that one is current then
            SELECT memory_id INTO heir FROM memories d
                WHERE d.state = 'active' AND d.audience_id = p.audience_id AND d.dedupe_key = p.dedupe_key
                  AND d.dedupe_author IS NOT DISTINCT FROM p.dedupe_author AND d.project_id IS NOT DISTINCT FROM p.project_id
                  AND d.session_id IS NOT DISTINCT FROM p.session_id AND d.expires_at IS NOT DISTINCT FROM p.expires_at
                  AND NOT d.memory_id = ANY (gone) AND d.memory_id <> p.memory_id;
        END IF;
        IF heir IS NULL THEN
            UPDATE memories SET state = 'active', superseded_by = NULL, superseded_at = NULL, updated_at = now()
                WHERE memory_id = p.memory_id;
            PERFORM set_live(ARRAY[p.memory_no], true);
        ELSE
            UPDATE memories SET superseded_by = heir WHERE memory_id = p.memory_id;
            UPDATE memories SET supersedes = p.memory_id WHERE memory_id = heir AND supersedes = ANY (gone);
        END IF;
    END LOOP;
    UPDATE memories SET supersedes = NULL WHERE supersedes = ANY (gone) AND NOT memory_id = ANY (gone);
END $$;

-- W9: nothing of the text remains; how many rows went. The caller's rights are the caller's business.
CREATE FUNCTION erase(ids uuid[], who int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
    nos bigint[];
BEGIN
    PERFORM FROM memories WHERE memory_id = ANY (ids) OR superseded_by = ANY (ids) ORDER BY memory_no FOR UPDATE;
    nos := ARRAY(SELECT memory_no FROM memories WHERE memory_id = ANY (ids));
    PERFORM revive(ids);
    PERFORM leave_postings(nos);
    INSERT INTO tombstones (tenant_id, memory_id, deleted_by)
        SELECT tenant_id, memory_id, who FROM memories WHERE memory_id = ANY (ids) ON CONFLICT DO NOTHING;
    DELETE FROM memories WHERE memory_id = ANY (ids);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- A delete by request, of `only_version` where it names one. Where others wrote the same words, an author takes only its name
-- away; an owner removes the row.
CREATE FUNCTION forget(ids uuid[], only_version int DEFAULT NULL, OUT deleted int, OUT released int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    mine uuid[];
    shared uuid[];
BEGIN
    PERFORM FROM memories WHERE memory_id = ANY (ids) AND tenant_id = my_tenant() ORDER BY memory_no FOR UPDATE;
    mine := ARRAY(SELECT memory_id FROM memories m WHERE m.memory_id = ANY (ids) AND m.tenant_id = my_tenant()
                  AND (only_version IS NULL OR m.version = only_version)
                  AND i_may_change(m.audience_id, m.author_id, m.memory_id));
    shared := ARRAY(SELECT m.memory_id FROM memories m JOIN audiences a USING (audience_id)
                    WHERE m.memory_id = ANY (mine)
                      AND a.layer = 'team' AND team_role(my_actor(), a.owner_id) IS DISTINCT FROM 'owner'
                      AND EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = m.memory_id AND o.author_id <> my_actor()));
    DELETE FROM memory_authors WHERE memory_id = ANY (shared) AND author_id = my_actor();
    DELETE FROM evidence WHERE memory_id = ANY (shared) AND added_by = my_actor();
    UPDATE memories m SET author_id = (
        SELECT o.author_id FROM memory_authors o WHERE o.memory_id = m.memory_id ORDER BY o.at, o.author_id LIMIT 1)
        WHERE m.memory_id = ANY (shared) AND m.author_id = my_actor();
    released := cardinality(shared);
    deleted := erase(ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(shared)), my_actor());
    PERFORM note('memory.delete', i::text) FROM unnest(mine) i;
END $$;

CREATE FUNCTION set_state(memory uuid, to_state text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR NOT i_may_change(m.audience_id, m.author_id, m.memory_id) THEN
        PERFORM refuse('may_not_change');
    END IF;
    IF (m.state, to_state) NOT IN (('active', 'archived'), ('archived', 'active')) THEN
        RETURN false;
    END IF;
    UPDATE memories SET state = to_state, updated_at = now() WHERE memory_id = memory;
    PERFORM set_live(ARRAY[m.memory_no], to_state = 'active');
    PERFORM note(CASE to_state WHEN 'archived' THEN 'memory.archive' ELSE 'memory.restore' END, memory::text);
    RETURN true;
END $$;

-- A memory, and everything that is seen with it, moves to another audience.
CREATE FUNCTION move_memory(memory uuid, audience int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO STRICT m FROM memories WHERE memory_id = memory;
    PERFORM leave_postings(ARRAY[m.memory_no]);
    UPDATE memories SET audience_id = audience, updated_at = now() WHERE memory_id = memory;
    UPDATE memory_authors SET audience_id = audience WHERE memory_id = memory;
    UPDATE evidence SET audience_id = audience WHERE memory_id = memory AND audience_id = m.audience_id;
    UPDATE documents SET audience_id = audience WHERE memory_no = m.memory_no;
    UPDATE passages SET audience_id = audience WHERE memory_no = m.memory_no;
    PERFORM enter_postings(ARRAY[m.memory_no]);
END $$;

-- A share, given or taken back by the author of a private memory. Former texts keep the audience they had,
-- but for one who leaves: it leaves all of them.
CREATE FUNCTION share(memory uuid, reader int, given boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
    a audiences%ROWTYPE;
    v record;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory AND tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR m.author_id IS DISTINCT FROM my_actor() OR m.origin IS NOT NULL OR m.injected_by_id IS NOT NULL THEN
        PERFORM refuse('not_the_author');
    END IF;
    SELECT * INTO a FROM audiences WHERE audience_id = m.audience_id;
    IF a.layer <> 'private' OR a.session_id IS NOT NULL OR NOT a.audience_id = ANY (my_audiences()) THEN
        PERFORM refuse('not_private');
    END IF;
    IF (reader = ANY (a.readers)) = given OR (NOT given AND reader = a.owner_id) THEN
        RETURN false;
    END IF;
    IF given AND NOT EXISTS (SELECT FROM principals p WHERE p.principal_id = reader AND p.tenant_id = my_tenant()
                             AND p.kind = 'agent' AND p.deleted_at IS NULL) THEN
        PERFORM refuse('unknown_reader');
    END IF;
    PERFORM move_memory(memory, put_audience(a.tenant_id, a.layer, a.owner_id,
        CASE WHEN given THEN a.readers || reader ELSE array_remove(a.readers, reader) END, a.task_id, NULL));
    IF given THEN
        UPDATE versions SET audience_id = (SELECT audience_id FROM memories WHERE memory_id = memory)
            WHERE memory_id = memory AND version = m.version;
    ELSE
        FOR v IN SELECT x.version, y.* FROM versions x JOIN audiences y USING (audience_id)
                 WHERE x.memory_id = memory AND reader = ANY (y.readers) LOOP
            UPDATE versions SET audience_id =
                put_audience(v.tenant_id, v.layer, v.owner_id, array_remove(v.readers, reader), v.task_id, v.session_id)
                WHERE memory_id = memory AND version = v.version;
        END LOOP;
    END IF;
    PERFORM note(CASE WHEN given THEN 'memory.share' ELSE 'memory.unshare' END, memory::text, reader);
    RETURN true;
END $$;

-- The vectors of a long text, from the job. False, and nothing done, where the text was edited or deleted meanwhile.
-- The row is locked first: a share that ends now must find the vectors, or they must find its new audience.
CREATE FUNCTION complete_embedding(memory uuid, version_ int, vectors halfvec[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory FOR UPDATE;
    IF NOT FOUND OR m.version <> version_ OR EXISTS (SELECT FROM tombstones t WHERE t.memory_id = memory) THEN
        RETURN false;
    END IF;
    DELETE FROM pending_embeddings WHERE memory_id = memory;
    DELETE FROM passages WHERE memory_no = m.memory_no;
    INSERT INTO passages (tenant_id, audience_id, memory_no, passage_no, live, expires_at, embedding)
        SELECT m.tenant_id, m.audience_id, m.memory_no, v.n, m.state = 'active', m.expires_at, v.e
        FROM unnest(vectors) WITH ORDINALITY v(e, n);
    UPDATE memories SET embedded = true WHERE memory_id = memory;
    RETURN true;
END $$;

-- Expiry: the row goes as if it had been deleted, and what it had overturned is current again.
CREATE FUNCTION sweep(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466201) THEN  -- one sweeper at a time is enough
        RETURN 0;
    END IF;
    n := erase(ARRAY(SELECT memory_id FROM memories WHERE expires_at <= now() ORDER BY expires_at LIMIT most), NULL);
    RETURN n;
END $$;

-- Private memories of agents and members, and memories of teams, that were deleted longer ago than `grace`.
CREATE FUNCTION sweep_departed(grace interval, most int) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT erase(ARRAY(
        SELECT m.memory_id FROM principals p JOIN audiences a ON a.owner_id = p.principal_id JOIN memories m USING (audience_id)
        WHERE p.deleted_at < now() - grace LIMIT most), NULL)
$$;

-- Where in the stream of its tenant an event stands. The place itself is never shown.
CREATE FUNCTION event_place(event uuid, OUT xid xid8, OUT number bigint) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT e.xid, e.event_no FROM events e WHERE e.event_id = event AND e.tenant_id = my_tenant() $$;

-- Events: whitelisted fields, no text, in the audience of the memory. Listeners of the tenant are woken at commit.
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    r memories%ROWTYPE;
    what text;
BEGIN
    r := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    what := CASE
        WHEN TG_OP = 'INSERT' THEN 'memory.captured'
        WHEN TG_OP = 'DELETE' THEN 'memory.deleted'
        WHEN OLD.audience_id <> NEW.audience_id THEN 'memory.moved'
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
CREATE TRIGGER told AFTER INSERT OR UPDATE OR DELETE ON memories FOR EACH ROW EXECUTE FUNCTION tell();
