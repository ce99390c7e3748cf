-- Publications (rules §6): which private memory was copied to which team, and how far that has come. Publishing takes three
-- transactions, reservation, copy and record, so that it can be carried out by a store which has no common one; each leaves
-- something that the next attempt or the sweeper understands.
-- Whoever locks several rows here locks memories first, by number, and the publication after them.

-- `lease` is the attempt that may write, until `lease_until` by the clock of the database. `was` is the state to go back to where
-- the attempt comes to nothing (NULL: there was none). `version` and `content_hash` are what the copy shows of the original.
CREATE TABLE publications (
    tenant_id      int NOT NULL REFERENCES tenants,
    publication_id uuid PRIMARY KEY,
    original_id    uuid NOT NULL,
    team_id        int NOT NULL REFERENCES principals,
    publisher_id   int NOT NULL REFERENCES principals,
    state          text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ready', 'withdrawn', 'removed', 'deleted')),
    was            text CHECK (was IN ('withdrawn', 'removed')),
    memory_id      uuid,
    lease          uuid,
    lease_until    timestamptz,
    attempts       int NOT NULL DEFAULT 1,
    version        int,
    content_hash   text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    published_at   timestamptz,
    withdrawn_at   timestamptz,
    UNIQUE (tenant_id, original_id, team_id),
    CHECK ((state = 'pending') = (lease IS NOT NULL AND lease_until IS NOT NULL)),
    CHECK (state <> 'ready' OR (memory_id IS NOT NULL AND version IS NOT NULL AND content_hash IS NOT NULL))
);
CREATE INDEX publications_of_publisher ON publications (publisher_id, publication_id);
CREATE INDEX publications_of_original ON publications (original_id);
CREATE INDEX publications_of_copy ON publications (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX publications_pending ON publications (lease_until) WHERE state = 'pending';
CALL keep_table('publications');
GRANT SELECT ON publications TO whoknows_request;
CREATE POLICY mine ON publications FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND publisher_id = (SELECT my_principal()));

-- What is to be taken down again because its publisher lost the right to it half way: tried until it is done.
CREATE TABLE publication_cleanups (
    tenant_id      int NOT NULL REFERENCES tenants,
    publication_id uuid PRIMARY KEY REFERENCES publications ON DELETE CASCADE,
    since          timestamptz NOT NULL DEFAULT now(),
    attempts       int NOT NULL DEFAULT 0,
    fault          text
);
CALL keep_table('publication_cleanups');

-- Where a published copy went, which it keeps when it is withdrawn: of one original there is one copy for each destination.
ALTER TABLE copies ADD COLUMN team_id int REFERENCES principals;
ALTER TABLE copies ADD CONSTRAINT published_to_a_team CHECK ((kind = 'published') = (team_id IS NOT NULL));
CREATE UNIQUE INDEX copies_published_once ON copies (tenant_id, original_id, team_id) WHERE kind = 'published';

CREATE FUNCTION copy_destination() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    NEW.team_id := (SELECT a.owner_id FROM memories m JOIN audiences a USING (audience_id) WHERE m.memory_id = NEW.memory_id);
    RETURN NEW;
END $$;
CREATE TRIGGER destined BEFORE INSERT ON copies FOR EACH ROW WHEN (NEW.kind = 'published') EXECUTE FUNCTION copy_destination();

-- W9: a publication tells that its original, or its copy, is gone; of the text not even the hash stays.
CREATE FUNCTION publications_of_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE publications p SET state = 'deleted', memory_id = NULL, version = NULL, content_hash = NULL, lease = NULL,
            lease_until = NULL, was = NULL
        FROM gone g WHERE p.original_id = g.memory_id;
    UPDATE publications p SET state = 'removed', memory_id = NULL
        FROM gone g WHERE p.memory_id = g.memory_id AND p.state IN ('ready', 'withdrawn');
    RETURN NULL;
END $$;
CREATE TRIGGER publications_end AFTER DELETE ON memories REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION publications_of_gone();

CREATE FUNCTION published_copy(original uuid, team int) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT c.memory_id FROM copies c WHERE c.original_id = original AND c.team_id = team AND c.kind = 'published' $$;

-- P1 and P2, checked again at every step, with the original held as it is until the commit, and W5: that the gate is still the one
-- that was passed. Answers the audience of the copy.
CREATE FUNCTION must_publish(original uuid, team int, gate_ text DEFAULT NULL) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
    a audiences%ROWTYPE;
    destination int;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = original AND tenant_id = my_tenant() FOR SHARE;
    IF NOT FOUND OR NOT m.audience_id = ANY (my_audiences()) OR m.expires_at <= now() THEN
        PERFORM refuse('unknown_memory');
    END IF;
    SELECT * INTO a FROM audiences WHERE audience_id = m.audience_id;
    IF a.layer <> 'private' OR a.session_id IS NOT NULL OR a.task_id IS NOT NULL OR m.author_id IS DISTINCT FROM my_actor()
       OR m.origin IS NOT NULL OR m.injected_by_id IS NOT NULL OR m.state <> 'active' THEN
        PERFORM refuse('not_publishable');
    END IF;
    PERFORM FROM memberships s WHERE s.team_id = team AND s.principal_id = my_actor() FOR SHARE;  -- an expulsion waits, or came before
    IF NOT coalesce(i_may_write('team', team), false) THEN
        PERFORM refuse('may_not_write');
    END IF;
    IF gate_ <> (SELECT gate FROM principals WHERE principal_id = team) THEN
        PERFORM refuse('gate_changed');
    END IF;
    destination := put_audience(m.tenant_id, 'team', team, '{}', NULL, NULL);
    IF NOT destination = ANY (my_audiences()) THEN  -- a need-to-know agent writes only what it may read
        PERFORM refuse('may_not_write');
    END IF;
    RETURN destination;
END $$;

-- P3, the first step. `outcome`: reserved (this attempt writes now), pending (another one does, for `wait` seconds at most), or the
-- state that there is already. `again` asks for a copy where one was withdrawn or removed; without it that stays so.
CREATE FUNCTION reserve_publication(publication uuid, original uuid, team int, lease_ uuid, seconds double precision, again boolean,
                                    OUT id uuid, OUT outcome text, OUT wait double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    until timestamptz := clock_timestamp() + make_interval(secs => least(seconds, 60));
BEGIN
    PERFORM must_publish(original, team);
    INSERT INTO publications (tenant_id, publication_id, original_id, team_id, publisher_id, lease, lease_until)
        VALUES (my_tenant(), publication, original, team, my_actor(), lease_, until) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        id := publication;
        outcome := 'reserved';
        RETURN;
    END IF;
    SELECT * INTO p FROM publications q
        WHERE q.tenant_id = my_tenant() AND q.original_id = original AND q.team_id = team FOR UPDATE;
    id := p.publication_id;
    IF id IS NULL THEN  -- given up at this very moment
        outcome := 'pending';
        wait := 0;
    ELSIF p.state = 'pending' AND p.lease <> lease_ AND p.lease_until > clock_timestamp() THEN
        outcome := 'pending';
        wait := extract(epoch FROM p.lease_until - clock_timestamp());
    ELSIF p.state = 'pending' OR (again AND p.memory_id IS NULL AND p.state IN ('withdrawn', 'removed')) THEN
        UPDATE publications SET state = 'pending', was = CASE p.state WHEN 'pending' THEN p.was ELSE p.state END,
                lease = lease_, lease_until = until, attempts = p.attempts + 1
            WHERE publication_id = id;
        outcome := 'reserved';
    ELSE
        outcome := p.state;
    END IF;
END $$;

-- The second step: the copy, or the one that an attempt before this one left. NULL where the reservation is not this attempt's.
CREATE FUNCTION write_publication(publication uuid, lease_ uuid, copy uuid, gate_ text, held boolean) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    destination int;
    found uuid;
BEGIN
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.tenant_id = my_tenant() AND q.publisher_id = my_actor();
    IF p.publication_id IS NULL THEN
        RETURN NULL;
    END IF;
    destination := must_publish(p.original_id, p.team_id, gate_);
    SELECT * INTO p FROM publications q WHERE q.publication_id = publication AND q.state = 'pending' AND q.lease = lease_ FOR UPDATE;
    IF p.publication_id IS NULL THEN
        RETURN NULL;
    END IF;
    found := published_copy(p.original_id, p.team_id);
    IF found IS NULL THEN
        PERFORM copy_memory(copy, p.original_id, destination, origin_of(p.original_id), my_actor(), NULL, 'published',
            CASE WHEN held THEN 'held' ELSE 'active' END);
        found := copy;
    END IF;
    RETURN found;
END $$;

-- The third step. ready; lost: the reservation is not this attempt's any more, or the copy is gone; refused: the publisher may not
-- write there any more, and what stands there already is registered to be taken down.
CREATE FUNCTION complete_publication(publication uuid, lease_ uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    copy uuid;
BEGIN
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.tenant_id = my_tenant() AND q.publisher_id = my_actor();
    copy := published_copy(p.original_id, p.team_id);
    PERFORM FROM memories WHERE memory_id = copy FOR SHARE;
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = p.publication_id AND q.state = 'pending' AND q.lease = lease_ FOR UPDATE;
    IF p.publication_id IS NULL OR NOT EXISTS (SELECT FROM copies c WHERE c.memory_id = copy) THEN
        RETURN 'lost';
    END IF;
    IF NOT coalesce(i_may_write('team', p.team_id), false) THEN
        INSERT INTO publication_cleanups (tenant_id, publication_id) VALUES (p.tenant_id, publication) ON CONFLICT DO NOTHING;
        RETURN 'refused';
    END IF;
    PERFORM record_publication(publication, copy);
    PERFORM note('publication.publish', p.original_id::text, NULL,
        jsonb_build_object('publication_id', publication, 'memory_id', copy));
    RETURN 'ready';
END $$;

CREATE FUNCTION record_publication(publication uuid, copy uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    UPDATE publications p SET state = 'ready', memory_id = copy, version = c.version, content_hash = c.content_hash,
            published_at = c.at, withdrawn_at = NULL, was = NULL, lease = NULL, lease_until = NULL
        FROM copies c WHERE c.memory_id = copy AND p.publication_id = publication
$$;

-- Compensation, by the attempt that failed: neither copy nor reservation stays. False where somebody else has taken over.
CREATE FUNCTION abandon_publication(publication uuid, lease_ uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
BEGIN
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.tenant_id = my_tenant() AND q.publisher_id = my_actor();
    PERFORM FROM memories WHERE memory_id = published_copy(p.original_id, p.team_id) FOR UPDATE;
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = p.publication_id AND q.state = 'pending' AND q.lease = lease_ FOR UPDATE;
    IF p.publication_id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM undo_publication(publication);
    RETURN true;
END $$;

CREATE FUNCTION undo_publication(publication uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    copy uuid;
BEGIN
    SELECT * INTO STRICT p FROM publications q WHERE q.publication_id = publication;
    copy := published_copy(p.original_id, p.team_id);
    IF copy IS NOT NULL THEN
        PERFORM erase(ARRAY[copy], NULL);
    END IF;
    DELETE FROM publication_cleanups q WHERE q.publication_id = publication;
    IF p.was IS NULL THEN
        DELETE FROM publications q WHERE q.publication_id = publication;
    ELSE
        UPDATE publications q SET state = p.was, was = NULL, lease = NULL, lease_until = NULL WHERE q.publication_id = publication;
    END IF;
END $$;

-- Withdrawing wins over whatever is under way: the copy, if there is one yet, moves to its publisher alone, and an attempt that was
-- about to write finds that it may not. What it had overturned is current again (R6). Answers the state there is then.
CREATE FUNCTION withdraw_publication(publication uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    copy uuid;
    c memories%ROWTYPE;
    alone int;
BEGIN
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.tenant_id = my_tenant() AND q.publisher_id = my_actor();
    copy := published_copy(p.original_id, p.team_id);
    PERFORM FROM memories WHERE memory_id = copy OR superseded_by = copy ORDER BY memory_no FOR UPDATE;
    SELECT * INTO p FROM publications q WHERE q.publication_id = p.publication_id FOR UPDATE;
    IF p.publication_id IS NULL THEN
        PERFORM refuse('not_the_author');
    END IF;
    IF p.state NOT IN ('pending', 'ready') THEN
        RETURN p.state;
    END IF;
    SELECT * INTO c FROM memories WHERE memory_id = published_copy(p.original_id, p.team_id) FOR UPDATE;
    IF c.memory_id IS NOT NULL THEN
        PERFORM revive(ARRAY[c.memory_id]);
        PERFORM set_live(ARRAY[c.memory_no], false);
        alone := put_audience(p.tenant_id, 'private', p.publisher_id, ARRAY[p.publisher_id], NULL, NULL);
        PERFORM move_memory(c.memory_id, alone);
        UPDATE versions SET audience_id = alone WHERE memory_id = c.memory_id;
        UPDATE memories SET state = 'withdrawn', superseded_by = NULL, superseded_at = NULL, supersedes = NULL, updated_at = now()
            WHERE memory_id = c.memory_id;
        PERFORM record_publication(publication, c.memory_id);
    END IF;
    DELETE FROM publication_cleanups q WHERE q.publication_id = publication;
    UPDATE publications q SET state = 'withdrawn', withdrawn_at = now(), was = NULL, lease = NULL, lease_until = NULL
        WHERE q.publication_id = publication;
    PERFORM note('publication.withdraw', p.original_id::text, NULL,
        jsonb_build_object('publication_id', publication, 'memory_id', c.memory_id));
    RETURN 'withdrawn';
END $$;

-- P4: the copy shows the original as it is now, as a new version in place, and is back with its readers where it was withdrawn.
-- same: it does that already; renewed; absent: there is no copy, the saga makes one; else the state that does not allow it.
CREATE FUNCTION renew_publication(publication uuid, gate_ text, held boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    o memories%ROWTYPE;
    c memories%ROWTYPE;
    destination int;
BEGIN
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.tenant_id = my_tenant() AND q.publisher_id = my_actor();
    IF p.publication_id IS NULL THEN
        PERFORM refuse('not_the_author');
    END IF;
    destination := must_publish(p.original_id, p.team_id, gate_);
    SELECT * INTO c FROM memories WHERE memory_id = p.memory_id FOR UPDATE;
    SELECT * INTO p FROM publications q WHERE q.publication_id = publication FOR UPDATE;
    IF p.state IN ('pending', 'deleted') THEN
        RETURN p.state;
    ELSIF p.memory_id IS DISTINCT FROM c.memory_id THEN  -- another copy since it was looked at
        RETURN 'pending';
    ELSIF c.memory_id IS NULL THEN
        RETURN 'absent';
    ELSIF c.state = 'superseded' THEN
        RETURN 'superseded';
    END IF;
    SELECT * INTO STRICT o FROM memories WHERE memory_id = p.original_id;
    IF p.state = 'ready' AND (o.version, o.content, o.title, o.category, o.tags, o.expires_at)
            IS NOT DISTINCT FROM (p.version, c.content, c.title, c.category, c.tags, c.expires_at) THEN
        RETURN 'same';
    END IF;
    PERFORM leave_postings(ARRAY[c.memory_no]);
    DELETE FROM documents WHERE memory_no = c.memory_no;
    DELETE FROM passages WHERE memory_no = c.memory_no;
    DELETE FROM pending_embeddings WHERE memory_id = c.memory_id;
    DELETE FROM evidence WHERE memory_id = c.memory_id;
    UPDATE memories SET content = o.content, title = o.title, category = o.category, tags = o.tags, content_hash = o.content_hash,
            dedupe_key = o.dedupe_key, wide = o.wide, embedded = o.embedded, expires_at = o.expires_at, version = c.version + 1,
            state = CASE WHEN held THEN 'held' WHEN c.state = 'archived' THEN 'archived' ELSE 'active' END,
            origin = origin_of(o.memory_id), updated_at = now()
        WHERE memory_id = c.memory_id;
    IF c.audience_id <> destination THEN  -- without its former texts, which stay taken back, and held already where it is
        PERFORM move_memory(c.memory_id, destination);
    END IF;
    INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, changed_by, change)
        VALUES (c.tenant_id, c.memory_id, c.version + 1, destination, o.content, o.title, o.category, o.tags, my_actor(), 'republished');
    PERFORM copy_evidence(o.memory_id, c.memory_id, destination);
    PERFORM copy_index(o.memory_no, c.memory_no);
    UPDATE copies SET version = o.version, content_hash = o.content_hash, at = now() WHERE memory_id = c.memory_id;
    PERFORM record_publication(publication, c.memory_id);
    PERFORM note('publication.republish', o.memory_id::text, NULL,
        jsonb_build_object('publication_id', publication, 'memory_id', c.memory_id));
    RETURN 'renewed';
END $$;

-- The sweeper's part of P3: reservations whose attempt died are carried to their end or given up, and what is registered to be
-- taken down is taken down. One that fails is tried again later, and does not keep the others.
CREATE FUNCTION settle_publications(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    due uuid;
    n int := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466204) THEN
        RETURN 0;
    END IF;
    DELETE FROM publication_cleanups k USING publications p WHERE p.publication_id = k.publication_id AND p.state <> 'pending';
    FOR due IN SELECT p.publication_id FROM publications p WHERE p.state = 'pending' AND p.lease_until < clock_timestamp()
               ORDER BY p.lease_until LIMIT most LOOP
        BEGIN
            n := n + settle_publication(due);
        EXCEPTION WHEN OTHERS THEN
            PERFORM FROM publications WHERE publication_id = due FOR UPDATE SKIP LOCKED;
            IF FOUND THEN
                UPDATE publication_cleanups SET attempts = attempts + 1, fault = SQLSTATE WHERE publication_id = due;
                UPDATE publications SET lease_until = clock_timestamp() + interval '5 seconds' WHERE publication_id = due;
            END IF;
        END;
    END LOOP;
    RETURN n;
END $$;

CREATE FUNCTION settle_publication(publication uuid) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p publications%ROWTYPE;
    copy uuid;
BEGIN
    SELECT * INTO p FROM publications q WHERE q.publication_id = publication;
    copy := published_copy(p.original_id, p.team_id);
    PERFORM FROM memories WHERE memory_id = copy FOR UPDATE;
    SELECT * INTO p FROM publications q
        WHERE q.publication_id = publication AND q.state = 'pending' AND q.lease_until < clock_timestamp() FOR UPDATE;
    IF p.publication_id IS NULL THEN
        RETURN 0;
    END IF;
    copy := published_copy(p.original_id, p.team_id);
    -- P2, of the publisher as it is now
    IF copy IS NOT NULL AND coalesce(role_on(p.publisher_id, p.team_id) NOT IN ('writer', 'owner'), true) THEN
        INSERT INTO publication_cleanups (tenant_id, publication_id) VALUES (p.tenant_id, publication) ON CONFLICT DO NOTHING;
    END IF;
    IF copy IS NULL OR EXISTS (SELECT FROM publication_cleanups k WHERE k.publication_id = publication) THEN
        PERFORM undo_publication(publication);
    ELSE
        PERFORM record_publication(publication, copy);
    END IF;
    RETURN 1;
END $$;

CALL keep_functions(
    for_requests => ARRAY['reserve_publication', 'write_publication', 'complete_publication', 'abandon_publication',
        'withdraw_publication', 'renew_publication'],
    for_jobs => ARRAY['settle_publications']);
