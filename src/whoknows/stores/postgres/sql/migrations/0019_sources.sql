-- Sources (rules §8): repositories and folders whose documents are indexed and stay where they are. A document is a head and its
-- sections, memories of the audience of the source, which nobody changes but a synchronisation.

-- The document that a memory is a section of.
ALTER TABLE memories ADD COLUMN part_of uuid;
CREATE INDEX memories_parts ON memories (part_of) WHERE part_of IS NOT NULL;

-- `made_by` registered it. `lease` is the synchronisation that is under way, until `lease_until` by the clock of the database.
CREATE TABLE sources (
    tenant_id   int NOT NULL REFERENCES tenants,
    source_id   uuid PRIMARY KEY,
    name        text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('git', 'folder')),
    locator     text NOT NULL,
    audience_id int NOT NULL REFERENCES audiences,
    owner_id    int NOT NULL REFERENCES principals,
    owner_kind  text NOT NULL CHECK (owner_kind IN ('team', 'member')),
    made_by     uuid NOT NULL,
    revision    text,
    documents   int NOT NULL DEFAULT 0,
    synced_at   timestamptz,
    lease       uuid,
    lease_until timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Per owner, so that a name that is taken tells nobody of a source that it cannot see.
    CONSTRAINT sources_name UNIQUE (tenant_id, owner_id, name)
);
CREATE INDEX sources_audience ON sources (audience_id);
CALL keep_table('sources');
GRANT SELECT (tenant_id, source_id, name, kind, locator, audience_id, owner_id, owner_kind, revision, documents, synced_at, created_at)
    ON sources TO whoknows_request;
CREATE POLICY visible ON sources FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (audience_id = ANY ((SELECT my_audiences())::int[])
        -- An administrator as such does not read private memory, nor what it is made of, but for what it registered itself.
        OR ((SELECT i_may('admin')) AND (owner_kind = 'team' OR made_by = (SELECT my_credential())))));

-- One row for each memory of the index. The head of a document stands at the anchor ''. `form` is how it was taken apart. The path
-- '' is that of the list of all records by their dates, which cites each of them.
CREATE TABLE indexed (
    tenant_id  int NOT NULL REFERENCES tenants,
    memory_id  uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    source_id  uuid NOT NULL REFERENCES sources,
    path       text NOT NULL,
    anchor     text NOT NULL,
    blob       text NOT NULL,
    form       int NOT NULL,
    digest     text NOT NULL,  -- of title, tags and text: whether a piece says something else
    line_start int NOT NULL,
    line_end   int NOT NULL,
    UNIQUE (source_id, path, anchor)
);
CALL keep_table('indexed');
GRANT SELECT ON indexed TO whoknows_request;
CREATE POLICY visible ON indexed FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND EXISTS (SELECT FROM memories m WHERE m.memory_id = indexed.memory_id));

-- Which document was overturned by which, and why, in the words of the one that overturned it: they go with either.
CREATE TABLE overturnings (
    tenant_id   int NOT NULL REFERENCES tenants,
    audience_id int NOT NULL,  -- that of both: each question begins with it, so that it costs what its reader sees and no more
    old_id      uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    new_id      uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    reason      text
);
CREATE INDEX overturnings_by ON overturnings (new_id);
CREATE INDEX overturnings_audience ON overturnings (audience_id);
CALL keep_table('overturnings');
GRANT SELECT ON overturnings TO whoknows_request;
CREATE POLICY visible ON overturnings FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = overturnings.old_id)
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = overturnings.new_id));

-- W3, as in 0003, but that what is indexed is changed in its source and nowhere else.
CREATE OR REPLACE FUNCTION i_may_change(audience int, author int, memory uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT my_actor() IS NOT NULL AND CASE
            WHEN a.layer = 'injected' THEN false
            WHEN a.layer = 'team' THEN
                team_role(my_actor(), a.owner_id) = 'owner'
                OR (team_role(my_actor(), a.owner_id) IS NOT NULL AND (
                    author = my_actor()
                    OR EXISTS (SELECT FROM memory_authors ma WHERE ma.memory_id = memory AND ma.author_id = my_actor())))
            WHEN o.kind = 'member' THEN a.owner_id = my_actor() OR a.owner_id = account_of(my_actor())
            ELSE author = my_actor() END
        FROM audiences a JOIN principals o ON o.principal_id = a.owner_id
        WHERE a.audience_id = audience AND a.tenant_id = my_tenant() AND a.audience_id = ANY (my_audiences())), false)
        AND NOT EXISTS (SELECT FROM indexed i WHERE i.memory_id = memory)
$$;

-- What is indexed is read by the audience of its source, and by no other: it is not shared either.
CREATE FUNCTION indexed_stays() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM indexed i WHERE i.memory_id = NEW.memory_id) THEN
        PERFORM refuse('read_only_index');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stays BEFORE UPDATE OF audience_id ON memories FOR EACH ROW
    WHEN (OLD.audience_id <> NEW.audience_id) EXECUTE FUNCTION indexed_stays();

-- A section belongs to a document of its own author, audience and project.
CREATE FUNCTION section_belongs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM memories h WHERE h.memory_id = NEW.part_of AND h.tenant_id = NEW.tenant_id AND h.audience_id = NEW.audience_id
          AND h.part_of IS NULL AND h.origin IS NULL AND h.project_id IS NOT DISTINCT FROM NEW.project_id
          AND (h.author_id = NEW.author_id
               OR EXISTS (SELECT FROM memory_authors o WHERE o.memory_id = h.memory_id AND o.author_id = NEW.author_id))) THEN
        PERFORM refuse('no_such_document');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER belongs BEFORE INSERT ON memories FOR EACH ROW WHEN (NEW.part_of IS NOT NULL) EXECUTE FUNCTION section_belongs();

-- Documents are overturned whole: what takes the place of a head takes that of its sections. Where both are about the same subject,
-- it is the same document with other words, and those sections stand that no words of their own replace.
CREATE FUNCTION sections_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    nos bigint[];
BEGIN
    IF NEW.subject IS NOT NULL AND EXISTS (
        SELECT FROM memories n WHERE n.memory_id = NEW.superseded_by AND n.subject = NEW.subject) THEN
        UPDATE memories SET part_of = NEW.superseded_by WHERE part_of = NEW.memory_id AND state <> 'superseded';
        RETURN NULL;
    END IF;
    nos := ARRAY(SELECT memory_no FROM memories WHERE part_of = NEW.memory_id AND state = 'active' ORDER BY memory_no FOR UPDATE);
    PERFORM set_live(nos, false);
    UPDATE memories SET state = 'superseded', superseded_by = NEW.superseded_by, superseded_at = NEW.superseded_at, updated_at = now()
        WHERE memory_no = ANY (nos);
    RETURN NULL;
END $$;
-- What becomes current again takes its sections along by itself: they name the same successor (revive).
CREATE TRIGGER sections AFTER UPDATE OF superseded_by ON memories FOR EACH ROW
    WHEN (OLD.superseded_by IS NULL AND NEW.superseded_by IS NOT NULL AND NEW.part_of IS NULL) EXECUTE FUNCTION sections_follow();

-- W8 between two memories that are there: `old` gives way to `new`, both the caller's to change. Each keeps a reason of its own.
CREATE FUNCTION overturn(old uuid, new uuid, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n memories%ROWTYPE;
BEGIN
    PERFORM FROM memories WHERE memory_id IN (old, new) AND tenant_id = my_tenant() ORDER BY memory_no FOR UPDATE;
    SELECT * INTO n FROM memories WHERE memory_id = new AND tenant_id = my_tenant();
    IF NOT FOUND OR NOT i_may_change(n.audience_id, n.author_id, n.memory_id) THEN
        PERFORM refuse('may_not_change');
    END IF;
    IF NOT supersede(old, new, NULL) THEN
        RETURN false;
    END IF;
    INSERT INTO overturnings (tenant_id, audience_id, old_id, new_id, reason) VALUES (n.tenant_id, n.audience_id, old, new, why)
        ON CONFLICT (old_id) DO UPDATE SET new_id = excluded.new_id, reason = CASE WHEN overturnings.new_id = excluded.new_id
            THEN coalesce(excluded.reason, overturnings.reason) ELSE excluded.reason END;
    RETURN true;
END $$;

-- Who synchronises and removes: an administrator, an owner of the team, the member itself or a main agent that works for it.
CREATE FUNCTION i_may_source(owner int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT i_may('admin') OR (
            EXISTS (SELECT FROM principals me WHERE me.principal_id = my_actor() AND me.clearance = 'open')
            AND CASE p.kind
                WHEN 'team' THEN coalesce(team_role(my_actor(), p.principal_id) = 'owner', false)
                WHEN 'member' THEN coalesce(p.principal_id IN (my_actor(), account_of(my_actor())), false)
                ELSE false END)
        FROM principals p WHERE p.principal_id = owner AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL AND p.kind <> 'agent'), false)
$$;

-- Who registers (rules §8): an administrator, or an owner of the team concerned. The roots are the installation's: nobody else says
-- which of their folders are read.
CREATE FUNCTION i_may_register(owner int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT i_may_source(owner) AND (i_may('admin') OR EXISTS (SELECT FROM principals p WHERE p.principal_id = owner AND p.kind = 'team')) $$;

CREATE FUNCTION register_source(source uuid, name_ text, kind_ text, locator_ text, owner int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p principals%ROWTYPE;
BEGIN
    IF NOT i_may_register(owner) THEN
        PERFORM refuse('may_not_source');
    END IF;
    SELECT * INTO STRICT p FROM principals WHERE principal_id = owner;
    INSERT INTO sources (tenant_id, source_id, name, kind, locator, audience_id, owner_id, owner_kind, made_by)
        VALUES (my_tenant(), source, name_, kind_, locator_,
                put_audience(my_tenant(), CASE p.kind WHEN 'team' THEN 'team' ELSE 'private' END, owner,
                             CASE p.kind WHEN 'team' THEN '{}' ELSE ARRAY[owner] END, NULL, NULL),
                owner, p.kind, my_credential());
    PERFORM note('source.register', source::text, CASE p.kind WHEN 'member' THEN owner END);
END $$;

-- The source: refused where it is not the caller's to keep.
CREATE FUNCTION my_source(source uuid) RETURNS sources
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    s sources%ROWTYPE;
BEGIN
    SELECT * INTO s FROM sources WHERE source_id = source AND tenant_id = my_tenant();
    IF NOT FOUND THEN
        PERFORM refuse('unknown_source');
    END IF;
    IF NOT i_may_source(s.owner_id) OR (s.owner_kind = 'member' AND s.made_by IS DISTINCT FROM my_credential()
                                        AND NOT coalesce(s.audience_id = ANY (my_audiences()), false)) THEN
        PERFORM refuse('may_not_source');
    END IF;
    RETURN s;
END $$;

-- The same, held until the commit; with a lease, refused where that is not the caller's any more.
CREATE FUNCTION hold_source(source uuid, lease_ uuid DEFAULT NULL) RETURNS sources
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    s sources%ROWTYPE;
BEGIN
    PERFORM FROM sources WHERE source_id = source AND tenant_id = my_tenant() FOR UPDATE;
    SELECT * INTO s FROM my_source(source);
    IF lease_ IS NOT NULL AND (s.lease IS DISTINCT FROM lease_ OR s.lease_until < clock_timestamp()) THEN
        PERFORM refuse('sync_lost');
    END IF;
    RETURN s;
END $$;

-- False where another synchronisation is under way.
CREATE FUNCTION begin_sync(source uuid, lease_ uuid, seconds double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    s sources%ROWTYPE := hold_source(source);
BEGIN
    IF s.lease IS NOT NULL AND s.lease <> lease_ AND s.lease_until > clock_timestamp() THEN
        RETURN false;
    END IF;
    UPDATE sources SET lease = lease_, lease_until = clock_timestamp() + make_interval(secs => least(seconds, 60)) WHERE source_id = source;
    RETURN true;
END $$;

CREATE FUNCTION renew_sync(source uuid, lease_ uuid, seconds double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE sources SET lease_until = clock_timestamp() + make_interval(secs => least(seconds, 60))
        WHERE source_id = source AND tenant_id = my_tenant() AND lease = lease_;
    RETURN FOUND;
END $$;

-- `revision_` is what the index shows now; NULL where the synchronisation came to no end.
CREATE FUNCTION finish_sync(source uuid, lease_ uuid, revision_ text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE sources SET lease = NULL, lease_until = NULL, revision = coalesce(revision_, revision),
            synced_at = CASE WHEN revision_ IS NULL THEN synced_at ELSE clock_timestamp() END,
            documents = (SELECT count(*) FROM indexed i WHERE i.source_id = source AND i.anchor = '' AND i.path <> '')
        WHERE source_id = source AND tenant_id = my_tenant() AND lease = lease_;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF revision_ IS NOT NULL THEN
        PERFORM note('source.sync', source::text, NULL, jsonb_build_object('revision', revision_));
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION indexed_files(source uuid) RETURNS TABLE (path text, blob text, form int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM my_source(source);
    RETURN QUERY SELECT i.path, i.blob, i.form FROM indexed i WHERE i.source_id = source AND i.anchor = '' AND i.path <> '' ORDER BY i.path;
END $$;

CREATE FUNCTION indexed_pieces(source uuid, path_ text) RETURNS TABLE (anchor text, digest text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM my_source(source);
    RETURN QUERY SELECT i.anchor, i.digest FROM indexed i WHERE i.source_id = source AND i.path = path_;
END $$;

CREATE FUNCTION move_indexed(source uuid, lease_ uuid, from_path text, to_path text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM hold_source(source, lease_);
    UPDATE indexed SET path = to_path WHERE source_id = source AND path = from_path;
END $$;

-- One memory of the index as it is now; a piece that is there keeps its id, and no former text stays: that is in the source.
-- NULL terms: its words have not changed, only its place.
CREATE FUNCTION put_indexed(source uuid, lease_ uuid, path_ text, anchor_ text, blob_ text, form_ int, memory uuid, title_ text,
                            content_ text, category_ text, tags_ text[], hash text, digest_ text, first_line int, last_line int, cited jsonb,
                            dated timestamptz, wide_ boolean, terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    s sources%ROWTYPE := hold_source(source, lease_);
    head memories%ROWTYPE;
    m memories%ROWTYPE;
    at timestamptz := coalesce(dated, s.created_at);
BEGIN
    SELECT h.* INTO head FROM indexed i JOIN memories h USING (memory_id)
        WHERE i.source_id = source AND i.path = path_ AND i.anchor = '' AND anchor_ <> '';
    SELECT x.* INTO m FROM indexed i JOIN memories x USING (memory_id)
        WHERE i.source_id = source AND i.path = path_ AND i.anchor = anchor_ FOR UPDATE OF x;
    IF m.memory_id IS NULL THEN
        m.memory_id := memory;
        INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, title, category, tags, state, superseded_by,
                              superseded_at, part_of, content_hash, dedupe_key, wide, embedded, created_at)
            VALUES (s.tenant_id, memory, s.audience_id, s.owner_id, content_, title_, category_, tags_, coalesce(head.state, 'active'),
                    head.superseded_by, head.superseded_at, head.memory_id, hash, uuid_send(memory), wide_, NOT pending, at);
        INSERT INTO indexed (tenant_id, memory_id, source_id, path, anchor, blob, form, digest, line_start, line_end)
            VALUES (s.tenant_id, memory, source, path_, anchor_, blob_, form_, digest_, first_line, last_line);
        INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id) VALUES (s.tenant_id, memory, s.audience_id, s.owner_id);
        INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, changed_by, change)
            VALUES (s.tenant_id, memory, 1, s.audience_id, content_, title_, category_, tags_, s.owner_id, 'indexed');
        PERFORM put_index(memory, terms_, frequencies_, length_, vectors, pending);
    ELSE
        UPDATE indexed SET blob = blob_, form = form_, digest = digest_, line_start = first_line, line_end = last_line WHERE memory_id = m.memory_id;
        IF terms_ IS NOT NULL THEN
            UPDATE memories SET content = content_, title = title_, category = category_, tags = tags_, content_hash = hash, wide = wide_,
                    embedded = NOT pending, version = m.version + 1, created_at = at, updated_at = now()
                WHERE memory_id = m.memory_id;
            DELETE FROM versions WHERE memory_id = m.memory_id;
            INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, changed_by, change)
                VALUES (s.tenant_id, m.memory_id, m.version + 1, s.audience_id, content_, title_, category_, tags_, s.owner_id, 'indexed');
            PERFORM put_index(m.memory_id, terms_, frequencies_, length_, vectors, pending);
        END IF;
    END IF;
    DELETE FROM evidence WHERE memory_id = m.memory_id AND added_by = s.owner_id;
    INSERT INTO evidence (tenant_id, memory_id, audience_id, added_by, source_kind, locator, revision, quote, quote_start, quote_end,
                          quote_hash, verified, verified_at, checked_at_revision, source_id)
        SELECT s.tenant_id, m.memory_id, s.audience_id, s.owner_id, CASE s.kind WHEN 'git' THEN 'git' ELSE 'file' END, c.locator,
               c.revision, c.quote, c.quote_start, c.quote_end, c.quote_hash, c.quote IS NOT NULL,
               CASE WHEN c.quote IS NOT NULL THEN now() END, c.revision, source
        FROM jsonb_to_recordset(cited) c(locator text, revision text, quote text, quote_hash text, quote_start int, quote_end int)
        ON CONFLICT DO NOTHING;
END $$;

-- Of one document all pieces that do not stand at one of `keep`; of `paths` everything (keep NULL).
CREATE FUNCTION drop_indexed(source uuid, lease_ uuid, paths text[], keep text[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM hold_source(source, lease_);
    RETURN erase(ARRAY(SELECT i.memory_id FROM indexed i WHERE i.source_id = source AND i.path = ANY (paths)
                       AND (keep IS NULL OR NOT i.anchor = ANY (keep))), my_actor());
END $$;

-- Which documents lapsed: by the one at `bys`, or (NULL) with nothing in their place; all others are current.
CREATE FUNCTION settle_indexed(source uuid, lease_ uuid, paths text[], bys text[], reasons text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    w record;
    whole bigint[];
BEGIN
    PERFORM hold_source(source, lease_);
    PERFORM FROM memories m JOIN indexed i USING (memory_id) WHERE i.source_id = source ORDER BY m.memory_no FOR UPDATE OF m;
    FOR w IN SELECT h.memory_id, h.memory_no, h.state, h.superseded_by, n.memory_id AS successor,
                    CASE WHEN n.memory_id IS NOT NULL THEN 'superseded' WHEN l.path IS NOT NULL THEN 'archived' ELSE 'active' END AS wanted
             FROM indexed i JOIN memories h USING (memory_id)
             LEFT JOIN unnest(paths, bys) l(path, by_path) ON l.path = i.path
             LEFT JOIN indexed n ON n.source_id = source AND n.path = l.by_path AND n.anchor = ''
             WHERE i.source_id = source AND i.anchor = '' ORDER BY h.memory_no LOOP
        CONTINUE WHEN w.state = w.wanted AND w.superseded_by IS NOT DISTINCT FROM w.successor;
        whole := ARRAY(SELECT memory_no FROM memories WHERE memory_id = w.memory_id OR part_of = w.memory_id);
        IF w.state = 'active' THEN
            PERFORM set_live(whole, false);
        END IF;
        UPDATE memories SET state = w.wanted, superseded_by = w.successor,
                superseded_at = CASE WHEN w.successor IS NOT NULL THEN coalesce(superseded_at, now()) END, updated_at = now()
            WHERE memory_no = ANY (whole);
        IF w.wanted = 'active' THEN
            PERFORM set_live(whole, true);
        END IF;
    END LOOP;
    UPDATE memories h SET supersedes = o.old_id
        FROM indexed i LEFT JOIN LATERAL (
            SELECT s.memory_id AS old_id FROM memories s JOIN indexed j USING (memory_id)
            WHERE s.superseded_by = i.memory_id AND j.anchor = '' ORDER BY j.path LIMIT 1) o ON true
        WHERE h.memory_id = i.memory_id AND i.source_id = source AND i.anchor = '' AND h.supersedes IS DISTINCT FROM o.old_id;
    DELETE FROM overturnings o USING indexed i WHERE i.source_id = source AND i.memory_id = o.old_id;
    INSERT INTO overturnings (tenant_id, audience_id, old_id, new_id, reason)
        SELECT i.tenant_id, (SELECT s.audience_id FROM sources s WHERE s.source_id = source), i.memory_id, n.memory_id, l.reason
        FROM unnest(paths, bys, reasons) l(path, by_path, reason)
        JOIN indexed i ON i.source_id = source AND i.path = l.path AND i.anchor = ''
        JOIN indexed n ON n.source_id = source AND n.path = l.by_path AND n.anchor = '';
END $$;

-- Up to `most` memories out of the index; how many went.
CREATE FUNCTION clear_source(source uuid, most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM hold_source(source);
    -- A synchronisation that is under way has lost its lease.
    UPDATE sources SET lease = NULL, lease_until = NULL, revision = NULL WHERE source_id = source;
    RETURN erase(ARRAY(SELECT i.memory_id FROM indexed i WHERE i.source_id = source LIMIT most), my_actor());
END $$;

CREATE FUNCTION remove_source(source uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM hold_source(source);
    PERFORM erase(ARRAY(SELECT i.memory_id FROM indexed i WHERE i.source_id = source), my_actor());
    DELETE FROM sources WHERE source_id = source;
    PERFORM note('source.remove', source::text);
END $$;

CALL keep_functions(for_requests => ARRAY['overturn', 'i_may_source', 'i_may_register', 'register_source', 'begin_sync', 'renew_sync', 'finish_sync', 'indexed_files',
    'indexed_pieces', 'move_indexed', 'put_indexed', 'drop_indexed', 'settle_indexed', 'clear_source', 'remove_source']);
