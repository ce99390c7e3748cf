-- Copies: what was published or given is a memory of its own, and one row here says of what. Also what every later
-- migration ends with: its tables under row-level security, its functions in the hands of those who may call them.

CREATE PROCEDURE keep_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY definer ON %I TO whoknows_definer USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO whoknows_definer', name);
END $$;

-- Definer functions belong to the role without login; nobody may call a function but those it is for.
CREATE PROCEDURE keep_functions(for_requests text[] DEFAULT '{}', for_jobs text[] DEFAULT '{}') LANGUAGE plpgsql AS $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS name, p.proname, p.prosecdef, p.proowner FROM pg_proc p
             WHERE p.pronamespace = 'whoknows'::regnamespace
               AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') LOOP
        IF f.prosecdef AND f.proowner <> 'whoknows_definer'::regrole THEN
            EXECUTE format('ALTER ROUTINE %s OWNER TO whoknows_definer', f.name);
        END IF;
        EXECUTE format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', f.name);
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO whoknows_definer', f.name);
        IF f.proname = ANY (for_requests) THEN
            EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO whoknows_request', f.name);
        END IF;
        IF f.proname = ANY (for_jobs) THEN
            EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO whoknows_jobs', f.name);
        END IF;
    END LOOP;
END $$;

-- `version` and `content_hash` are the original's at the time; `made_by` published it, or gave it.
CREATE TABLE copies (
    tenant_id    int NOT NULL REFERENCES tenants,
    memory_id    uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    original_id  uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('published', 'injected')),
    made_by      int NOT NULL REFERENCES principals,
    version      int NOT NULL,
    content_hash text NOT NULL,
    at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX copies_of_original ON copies (original_id);
CALL keep_table('copies');
-- P1: of what it is a copy is for those who may read the original.
GRANT SELECT ON copies TO whoknows_request;
CREATE POLICY visible ON copies FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant())
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = copies.memory_id)
        AND EXISTS (SELECT FROM memories o WHERE o.memory_id = copies.original_id));

-- A copy, with its place in both arms: the same words, and so the same terms and vectors. Rights are the caller's business.
-- It carries content, title, category and tags, and only evidence that its audience may read (P1).
CREATE FUNCTION copy_memory(new_id uuid, original uuid, audience int, origin_ jsonb, giver int, ends timestamptz, kind_ text,
                            state_ text, project text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    o memories%ROWTYPE;
    no bigint;
BEGIN
    SELECT * INTO STRICT o FROM memories WHERE memory_id = original;
    INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, title, category, tags, project_id, state,
                          content_hash, dedupe_key, injected_by_id, origin, wide, embedded, expires_at)
        VALUES (o.tenant_id, new_id, audience, o.author_id, o.content, o.title, o.category, o.tags, project, state_, o.content_hash,
                o.dedupe_key, CASE kind_ WHEN 'injected' THEN giver END, origin_, o.wide, o.embedded, least(ends, o.expires_at))
        RETURNING memory_no INTO no;
    INSERT INTO copies (tenant_id, memory_id, original_id, kind, made_by, version, content_hash)
        VALUES (o.tenant_id, new_id, original, kind_, giver, o.version, o.content_hash);
    INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id) VALUES (o.tenant_id, new_id, audience, o.author_id);
    INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, changed_by, change)
        VALUES (o.tenant_id, new_id, 1, audience, o.content, o.title, o.category, o.tags, giver, kind_);
    PERFORM copy_evidence(original, new_id, audience);
    PERFORM copy_index(o.memory_no, no);
END $$;

CREATE FUNCTION copy_evidence(original uuid, copy uuid, audience int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    INSERT INTO evidence (tenant_id, memory_id, audience_id, added_by, source_kind, locator, revision, quote, quote_start,
                          quote_end, quote_hash, verified, verified_at)
        SELECT e.tenant_id, copy, e.audience_id, e.added_by, e.source_kind, e.locator, e.revision, e.quote, e.quote_start,
               e.quote_end, e.quote_hash, e.verified, e.verified_at
        FROM evidence e JOIN audiences a USING (audience_id) JOIN principals p ON p.principal_id = a.owner_id
        WHERE e.memory_id = original
          AND (e.audience_id = audience OR (a.layer = 'team' AND p.name = '*' AND a.readers = '{}' AND a.task_id IS NULL))
        ON CONFLICT DO NOTHING
$$;

-- P1: what every reader of a copy is told: who said it, and since when it is a copy.
CREATE FUNCTION origin_of(original uuid) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT jsonb_build_object('agent_id', CASE p.kind WHEN 'agent' THEN p.name ELSE p.kind || ':' || p.name END, 'published_at', now())
    FROM memories m JOIN principals p ON p.principal_id = m.author_id WHERE m.memory_id = original
$$;

-- The terms and vectors of one row for another row of the same words, in the audience, state and life of that one.
CREATE FUNCTION copy_index(from_no bigint, to_no bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO STRICT m FROM memories WHERE memory_no = to_no;
    INSERT INTO documents (tenant_id, memory_no, audience_id, live, length, expires_at, terms, frequencies)
        SELECT m.tenant_id, to_no, m.audience_id, m.state = 'active', d.length, m.expires_at, d.terms, d.frequencies
        FROM documents d WHERE d.memory_no = from_no;
    PERFORM enter_postings(ARRAY[to_no]);
    INSERT INTO passages (tenant_id, audience_id, memory_no, passage_no, live, expires_at, embedding)
        SELECT m.tenant_id, m.audience_id, to_no, p.passage_no, m.state = 'active', m.expires_at, p.embedding
        FROM passages p WHERE p.memory_no = from_no;
    IF NOT m.embedded THEN  -- its vectors are still to be made: pending work of the giver; the author is not told of the copy
        INSERT INTO pending_embeddings (tenant_id, memory_id, author_id)
            VALUES (m.tenant_id, m.memory_id, coalesce(m.injected_by_id, m.author_id));
        PERFORM queue_embedding(m.memory_id);
    END IF;
END $$;

-- `ids` and every copy of them, and of those, each level locked before the next is looked for: a copy that is being made holds
-- its original, and so is either seen here or finds it gone.
CREATE FUNCTION with_copies(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    every uuid[] := ids;
    level uuid[] := ids;
BEGIN
    LOOP
        PERFORM FROM memories WHERE memory_id = ANY (level) OR superseded_by = ANY (level) ORDER BY memory_no FOR UPDATE;
        level := ARRAY(SELECT c.memory_id FROM copies c WHERE c.original_id = ANY (level) AND NOT c.memory_id = ANY (every));
        EXIT WHEN level = '{}';
        every := every || level;
    END LOOP;
    RETURN every;
END $$;

-- W9: nothing of the text remains, in copies neither; how many of `ids` went. The caller's rights are the caller's business.
CREATE OR REPLACE FUNCTION erase(ids uuid[], who int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
    every uuid[] := with_copies(ids);
BEGIN
    n := (SELECT count(*) FROM memories WHERE memory_id = ANY (ids));
    PERFORM revive(every);
    PERFORM leave_postings(ARRAY(SELECT memory_no FROM memories WHERE memory_id = ANY (every)));
    INSERT INTO tombstones (tenant_id, memory_id, deleted_by)
        SELECT tenant_id, memory_id, who FROM memories WHERE memory_id = ANY (every) ON CONFLICT DO NOTHING;
    DELETE FROM memories WHERE memory_id = ANY (every);
    RETURN n;
END $$;

-- As in 0005, and how many copies that the caller made went along. Copies that others made are nobody's to count.
DROP FUNCTION forget(uuid[], int);
CREATE FUNCTION forget(ids uuid[], only_version int DEFAULT NULL, OUT deleted int, OUT released int, OUT copied int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    mine uuid[];
    shared uuid[];
    gone uuid[];
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
    gone := ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(shared));
    copied := (SELECT count(*) FROM copies c WHERE c.original_id = ANY (gone) AND NOT c.memory_id = ANY (gone) AND c.made_by = my_actor());
    deleted := erase(gone, my_actor());
    PERFORM note('memory.delete', i::text) FROM unnest(mine) i;
END $$;

CALL keep_functions(for_requests => ARRAY['forget']);
