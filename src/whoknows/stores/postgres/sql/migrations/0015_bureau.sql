-- Cases of the Bureau: each a tenant of its own, founded and reset in one transaction. What the stage shows is told in a table
-- that has no column for a text: nothing private can stand in it.

-- `laid_in` is the transaction that lays the cards of the beginning, while it does; nobody else may lay any.
CREATE TABLE cases (
    tenant_id  int PRIMARY KEY REFERENCES tenants,
    script     text NOT NULL,
    language   text NOT NULL CHECK (language IN ('zh', 'en')),
    made_by    uuid NOT NULL,
    laid_in    xid8 DEFAULT pg_current_xact_id(),
    founded_at timestamptz NOT NULL DEFAULT now(),
    reset_at   timestamptz,
    closed_at  timestamptz
);
CALL keep_table('cases');
GRANT SELECT (tenant_id, script, language, founded_at, reset_at, closed_at) ON cases TO whoknows_request;
CREATE POLICY mine ON cases FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));

-- Public within the case, all of it: a role's name, what was done, whether the answer was known, where it was looked for.
CREATE TABLE stage_events (
    tenant_id int NOT NULL REFERENCES tenants,
    event_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    event_id  uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    kind      text NOT NULL CHECK (kind IN ('opened', 'whispered', 'asked', 'published', 'board', 'reset')),
    role_id   int REFERENCES principals,
    known     boolean,
    mode      text CHECK (mode IN ('evidence', 'full')),
    searched  text[] NOT NULL DEFAULT '{}',
    at        timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'asked') = (known IS NOT NULL AND mode IS NOT NULL)),
    CHECK (kind = 'asked' OR searched = '{}')
);
CREATE INDEX stage_events_of ON stage_events (tenant_id, xid, event_no);
CALL keep_table('stage_events');
GRANT USAGE ON ALL SEQUENCES IN SCHEMA whoknows TO whoknows_definer;
GRANT SELECT ON stage_events TO whoknows_request;
CREATE POLICY mine ON stage_events FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));
GRANT SELECT, UPDATE (xid) ON stage_events TO whoknows_jobs;
CREATE POLICY jobs ON stage_events TO whoknows_jobs USING (true);

-- The tenant, its roles, the board they all may write to (so that the operator can publish as them), and the operator's key: it
-- acts as the roles, looks (`inspect`) and reads the trail of its case (`audit`). It administers nothing.
CREATE FUNCTION open_case(case_name text, credential uuid, hash bytea, roles_ text[], script_ text, language_ text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int;
    board int;
BEGIN
    IF NOT i_may('create_tenants') THEN
        PERFORM refuse('permission_missing');
    END IF;
    t := found_tenant(case_name, credential, hash, '{inspect,audit}');
    SELECT principal_id INTO STRICT board FROM principals WHERE tenant_id = t AND kind = 'team' AND name = '*';
    INSERT INTO principals (tenant_id, kind, name, role) SELECT t, 'agent', r, 'main' FROM unnest(roles_) r;
    INSERT INTO memberships (tenant_id, team_id, principal_id, role)
        SELECT t, board, principal_id, 'writer' FROM principals WHERE tenant_id = t AND kind = 'agent';
    INSERT INTO credential_principals (tenant_id, credential_id, principal_id)
        SELECT t, credential, principal_id FROM principals WHERE tenant_id = t AND kind = 'agent';
    INSERT INTO cases (tenant_id, script, language, made_by) VALUES (t, script_, language_, my_credential());
    INSERT INTO stage_events (tenant_id, kind) VALUES (t, 'opened');
    PERFORM note('case.open', case_name, NULL, jsonb_build_object('script', script_));
    RETURN t;
END $$;

-- A card of the beginning: private to its role, found by both arms, like any memory that the role wrote itself.
CREATE FUNCTION lay_card(tenant int, role_ text, id uuid, content_ text, category_ text, tags_ text[], content_hash_ text,
                         dedupe_key_ bytea, wide_ boolean, terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    who int;
    audience int;
    no bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM cases c WHERE c.tenant_id = tenant AND c.laid_in = pg_current_xact_id_if_assigned()) THEN
        PERFORM refuse('may_not_write');
    END IF;
    SELECT principal_id INTO STRICT who FROM principals
        WHERE tenant_id = tenant AND kind = 'agent' AND name = role_ AND deleted_at IS NULL;
    audience := put_audience(tenant, 'private', who, ARRAY[who], NULL, NULL);
    INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, category, tags, content_hash, dedupe_key,
                          dedupe_author, wide)
        VALUES (tenant, id, audience, who, content_, category_, tags_, content_hash_, dedupe_key_, who, wide_)
        RETURNING memory_no INTO no;
    INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id) VALUES (tenant, id, audience, who);
    INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, category, tags, changed_by, change)
        VALUES (tenant, id, 1, audience, content_, category_, tags_, who, 'captured');
    INSERT INTO documents (tenant_id, memory_no, audience_id, length, terms, frequencies)
        VALUES (tenant, no, audience, length_, terms_, frequencies_);
    PERFORM enter_postings(ARRAY[no]);
    INSERT INTO passages (tenant_id, audience_id, memory_no, passage_no, embedding)
        SELECT tenant, audience, no, v.n, v.e FROM unnest(vectors) WITH ORDINALITY v(e, n);
END $$;

-- The cards lie: from here on the case is like any other tenant.
CREATE FUNCTION begin_case(tenant int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ UPDATE cases SET laid_in = NULL WHERE tenant_id = tenant AND laid_in = pg_current_xact_id_if_assigned() $$;

-- The case that the caller runs, locked until the commit. A key that only shows has no `inspect`.
CREATE FUNCTION must_run_case() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int;
BEGIN
    SELECT c.tenant_id INTO t FROM cases c WHERE c.tenant_id = my_tenant() AND c.closed_at IS NULL FOR UPDATE;
    IF t IS NULL OR NOT i_may('inspect') THEN
        PERFORM refuse('permission_missing');
    END IF;
    RETURN t;
END $$;

-- Of a job that a worker has in hand nothing comes: it finds its memory gone.
CREATE FUNCTION drop_embeddings(tenant int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, procrastinate, public, pg_temp AS $$
    DELETE FROM procrastinate_jobs j USING pending_embeddings q
        WHERE q.tenant_id = tenant AND j.task_name = 'embed' AND j.status = 'todo' AND j.args ->> 'memory_id' = q.memory_id::text
$$;

-- All that was said, found and kept in the case, with the work that waits for it. Who exists, keys, tombstones and the audit
-- trail stay. Tables that refer to each other are emptied round by round.
CREATE FUNCTION empty_case(tenant int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    name text;
    left_over text[];
BEGIN
    PERFORM drop_embeddings(tenant);
    PERFORM erase(ARRAY(SELECT memory_id FROM memories WHERE tenant_id = tenant), my_actor());
    FOR round IN 1 .. 10 LOOP
        left_over := '{}';
        FOR name IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
                 WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN (
                     'tenants', 'principals', 'memberships', 'credentials', 'credential_principals', 'cases', 'audiences',
                     'audience_grants', 'tombstones', 'audit') LOOP
            BEGIN
                EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', name) USING tenant;
            EXCEPTION WHEN foreign_key_violation THEN
                left_over := left_over || name;
            END;
        END LOOP;
        EXIT WHEN left_over = '{}';
    END LOOP;
    IF left_over <> '{}' THEN
        RAISE EXCEPTION 'what refers to % is kept, and so nothing is emptied', left_over;
    END IF;
END $$;

-- Back to the beginning: empty, and for this transaction open to the cards of the script.
CREATE FUNCTION clear_case() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int := must_run_case();
BEGIN
    UPDATE cases SET laid_in = pg_current_xact_id(), reset_at = now() WHERE tenant_id = t;
    PERFORM empty_case(t);
    INSERT INTO stage_events (tenant_id, kind) VALUES (t, 'reset');
    PERFORM note('case.reset', NULL);
    PERFORM pg_notify('whoknows_events', t::text);
    RETURN t;
END $$;

-- The end: nothing of the texts remains, and all keys die. The name stays taken.
CREATE FUNCTION close_case() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int := must_run_case();
BEGIN
    UPDATE cases SET laid_in = pg_current_xact_id(), closed_at = now() WHERE tenant_id = t;
    PERFORM empty_case(t);
    UPDATE cases SET laid_in = NULL WHERE tenant_id = t;
    PERFORM note('case.close', NULL);
    UPDATE credentials SET revoked_at = now() WHERE tenant_id = t AND revoked_at IS NULL;
    PERFORM pg_notify('whoknows_events', t::text);
END $$;

-- A key that is made while the case is being closed comes before, and dies with the others, or not at all.
CREATE FUNCTION closed_makes_no_keys() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    closed timestamptz;
BEGIN
    SELECT closed_at INTO closed FROM cases WHERE tenant_id = NEW.tenant_id FOR SHARE;
    IF closed IS NOT NULL THEN
        PERFORM refuse('permission_missing');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER closed_makes_no_keys BEFORE INSERT ON credentials FOR EACH ROW EXECUTE FUNCTION closed_makes_no_keys();

-- A question was put to the role that acts. Never the question, and never what was found.
CREATE FUNCTION tell_asked(known_ boolean, mode_ text, searched_ text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF my_actor() IS NULL OR NOT searched_ <@ ARRAY['agent:' || name_of(my_actor()), '*'] THEN
        PERFORM refuse('permission_missing');
    END IF;
    INSERT INTO stage_events (tenant_id, kind, role_id, known, mode, searched)
        VALUES (must_run_case(), 'asked', my_actor(), known_, mode_, searched_);
    PERFORM note('case.ask', NULL, my_actor());
    PERFORM pg_notify('whoknows_events', my_tenant()::text);
END $$;

-- What happens to memories in a case, on whichever way it comes about: a role learned something, or the board changed. Only the
-- role's name is told. The case is held until the commit, so that a reset waits, and takes along what was written.
CREATE FUNCTION tell_stage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    r memories%ROWTYPE;
    a audiences%ROWTYPE;
    what text;
    who int;
BEGIN
    -- Most memories are of no case: they leave here, before anything is copied.
    PERFORM FROM cases WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id)
        AND laid_in IS DISTINCT FROM pg_current_xact_id_if_assigned() FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    r := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    SELECT * INTO a FROM audiences WHERE audience_id = r.audience_id;
    IF a.layer = 'private' AND TG_OP = 'INSERT' AND r.origin IS NULL THEN
        what := 'whispered';
        who := a.owner_id;
    ELSIF a.layer = 'team' AND a.readers = '{}' AND a.task_id IS NULL THEN
        what := CASE WHEN r.origin IS NOT NULL AND r.state = 'active' AND TG_OP = 'INSERT' THEN 'published' ELSE 'board' END;
        who := CASE what WHEN 'published' THEN r.author_id END;
    ELSE
        RETURN NULL;
    END IF;
    INSERT INTO stage_events (tenant_id, kind, role_id) VALUES (r.tenant_id, what, who);
    IF what <> 'board' AND my_tenant() = r.tenant_id THEN
        PERFORM note(CASE what WHEN 'whispered' THEN 'case.whisper' ELSE 'case.publish' END, r.memory_id::text, who);
    END IF;
    PERFORM pg_notify('whoknows_events', r.tenant_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER staged AFTER INSERT OR DELETE OR UPDATE OF state, version, audience_id ON memories
    FOR EACH ROW EXECUTE FUNCTION tell_stage();

-- The board as everybody in the case may read it, and what the stage shows of it.
CREATE FUNCTION stage_board(most int) RETURNS TABLE (content text, tags text[], author text, at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT m.content, m.tags, p.name, m.created_at
    FROM cases c JOIN audiences a ON a.tenant_id = c.tenant_id AND a.layer = 'team' AND a.readers = '{}' AND a.task_id IS NULL
        AND a.owner_id = everyone(c.tenant_id)
    JOIN memories m ON m.audience_id = a.audience_id JOIN principals p ON p.principal_id = m.author_id
    WHERE c.tenant_id = my_tenant() AND c.closed_at IS NULL AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > now())
    ORDER BY m.memory_no DESC LIMIT most
$$;

-- A key for the big screen: it acts as nobody and may do nothing, and so reads what is public in the case and no more.
CREATE FUNCTION make_show_key(credential uuid, hash bytea, expires timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int := must_run_case();
BEGIN
    INSERT INTO credentials (tenant_id, credential_id, secret_hash, permissions, expires_at, made_by)
        SELECT t, credential, hash, '{}', least(expires, m.expires_at), m.credential_id
        FROM credentials m WHERE m.credential_id = my_credential();
    PERFORM note('case.show_key', credential::text);
END $$;

-- The operator looks into every role: each can see in the trail that it did.
CREATE FUNCTION note_case_inspection(route text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int := must_run_case();
BEGIN
    PERFORM note('inspect', route, p.principal_id) FROM principals p
        WHERE p.tenant_id = t AND p.kind = 'agent' AND p.deleted_at IS NULL;
END $$;

GRANT DELETE ON procrastinate.procrastinate_jobs TO whoknows_definer;
GRANT SELECT, UPDATE ON procrastinate.procrastinate_periodic_defers TO whoknows_definer;  -- its trigger looks there
CALL keep_functions(for_requests => ARRAY['open_case', 'lay_card', 'begin_case', 'clear_case', 'close_case', 'tell_asked',
    'stage_board', 'make_show_key', 'note_case_inspection']);
