-- Observations (rules §9): memories that state what several others say. They rest on memories of one audience, know when one of
-- those has changed, and go when one of them is deleted.
-- Whoever locks several rows here locks the audience's gathering first, memories after it, by number.

-- `made`: extractive (the words of one source), quoted (somebody's words with quotes), model (a model's words with quotes).
-- `gathered`: near (what says almost the same), listed (what somebody named). `suspect`: a source was touched since it was computed.
CREATE TABLE observations (
    tenant_id   int NOT NULL REFERENCES tenants,
    memory_id   uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    made        text NOT NULL CHECK (made IN ('extractive', 'quoted', 'model')),
    gathered    text NOT NULL CHECK (gathered IN ('near', 'listed')),
    suspect     boolean NOT NULL DEFAULT false,
    computed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX observations_suspect ON observations (memory_id) WHERE suspect;
CALL keep_table('observations');

-- What an observation rests on, as it was then. One that it no longer rests on stays here: former texts may hold its words.
CREATE TABLE observation_sources (
    tenant_id      int NOT NULL REFERENCES tenants,
    observation_id uuid NOT NULL REFERENCES observations ON DELETE CASCADE,
    source_id      uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    version        int NOT NULL,
    content_hash   text NOT NULL,
    current        boolean NOT NULL DEFAULT true,
    stated         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (observation_id, source_id)
);
CREATE INDEX observation_sources_of ON observation_sources (source_id);
CALL keep_table('observation_sources');

-- Sets that somebody does not want stated, by ids alone; and observations to be made anew from what a deletion left of their sources.
CREATE TABLE observation_refusals (
    tenant_id   int NOT NULL REFERENCES tenants,
    audience_id int NOT NULL,
    sources     uuid[] NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (audience_id, sources)
);
CALL keep_table('observation_refusals');
CREATE TABLE observation_remakes (
    tenant_id      int NOT NULL REFERENCES tenants,
    observation_id uuid PRIMARY KEY,
    audience_id    int NOT NULL,
    gathered       text NOT NULL,
    sources        uuid[] NOT NULL,
    since          timestamptz NOT NULL DEFAULT now()
);
CALL keep_table('observation_remakes');

-- Memories that nobody has looked at yet for others that say the same.
CREATE TABLE observation_candidates (
    tenant_id int NOT NULL REFERENCES tenants,
    memory_id uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    since     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX observation_candidates_since ON observation_candidates (since);
CALL keep_table('observation_candidates');

-- Readable where the memory is.
GRANT SELECT ON observations, observation_sources TO whoknows_request;
CREATE POLICY visible ON observations FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND EXISTS (SELECT FROM memories m WHERE m.memory_id = observations.memory_id));
CREATE POLICY visible ON observation_sources FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND EXISTS (SELECT FROM memories m WHERE m.memory_id = observation_sources.observation_id));
GRANT SELECT ON observations, observation_sources, observation_refusals, observation_remakes, observation_candidates, passages, evidence, indexed
    TO whoknows_jobs;
GRANT DELETE ON observation_remakes, observation_candidates TO whoknows_jobs;
GRANT UPDATE (suspect) ON observations TO whoknows_jobs;
CREATE POLICY jobs ON observations TO whoknows_jobs USING (true) WITH CHECK (true);
CREATE POLICY jobs ON observation_sources FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON observation_refusals FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON observation_remakes TO whoknows_jobs USING (true);
CREATE POLICY jobs ON observation_candidates TO whoknows_jobs USING (true);
CREATE POLICY observing ON passages FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY observing ON evidence FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY observing ON indexed FOR SELECT TO whoknows_jobs USING (true);

-- What an observation may rest on: current, nobody's copy, bound to no session and no task, no observation itself, and no document
-- that stands elsewhere.
CREATE FUNCTION may_be_observed(m memories) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT m.state = 'active' AND m.category <> 'observation' AND m.origin IS NULL AND m.injected_by_id IS NULL AND m.part_of IS NULL
        AND (m.expires_at IS NULL OR m.expires_at > now())
        AND EXISTS (SELECT FROM audiences a WHERE a.audience_id = m.audience_id AND a.layer <> 'injected'
                    AND a.session_id IS NULL AND a.task_id IS NULL)
        AND NOT EXISTS (SELECT FROM indexed i WHERE i.memory_id = m.memory_id)
$$;

CREATE FUNCTION look_at_memory() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE observations d SET suspect = true FROM observation_sources x
            WHERE x.source_id = NEW.memory_id AND x.current AND d.memory_id = x.observation_id AND NOT d.suspect;
    END IF;
    IF NEW.state = 'active' THEN
        INSERT INTO observation_candidates (tenant_id, memory_id) VALUES (NEW.tenant_id, NEW.memory_id)
            ON CONFLICT (memory_id) DO UPDATE SET since = now();
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER looked_at_new AFTER INSERT ON memories FOR EACH ROW
    WHEN (NEW.state = 'active' AND NEW.category <> 'observation' AND NEW.origin IS NULL AND NEW.injected_by_id IS NULL)
    EXECUTE FUNCTION look_at_memory();
CREATE TRIGGER looked_at_changed AFTER UPDATE OF content_hash, state, audience_id, project_id ON memories FOR EACH ROW
    WHEN (NEW.category <> 'observation' AND NEW.origin IS NULL AND NEW.injected_by_id IS NULL
        AND (OLD.content_hash, OLD.state, OLD.audience_id) IS DISTINCT FROM (NEW.content_hash, NEW.state, NEW.audience_id))
    EXECUTE FUNCTION look_at_memory();

-- Somebody may not read a source any more, because a share of it was taken back: in that transaction it does not read either what
-- was derived from it, or once was, with all former texts. That stays with the readers of the source, until it is computed anew; the
-- other sources are free of it, and are stated anew.
CREATE FUNCTION follow_source() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    o record;
BEGIN
    FOR o IN SELECT m.memory_id, m.tenant_id, m.audience_id, m.state, d.gathered FROM observation_sources x
                 JOIN observations d ON d.memory_id = x.observation_id JOIN memories m ON m.memory_id = d.memory_id
             WHERE x.source_id = NEW.memory_id AND NOT audience_covers(NEW.audience_id, m.audience_id) ORDER BY m.memory_no LOOP
        INSERT INTO observation_remakes (tenant_id, observation_id, audience_id, gathered, sources)
            SELECT o.tenant_id, o.memory_id, o.audience_id, o.gathered, x.left_over
            FROM (SELECT array_agg(s.source_id ORDER BY s.source_id) AS left_over FROM observation_sources s
                  WHERE s.observation_id = o.memory_id AND s.current AND s.source_id <> NEW.memory_id) x
            WHERE o.state IN ('active', 'held') AND cardinality(x.left_over) >= 2
            ON CONFLICT (observation_id) DO UPDATE SET sources = EXCLUDED.sources;
        PERFORM move_memory(o.memory_id, NEW.audience_id);
        UPDATE versions SET audience_id = NEW.audience_id WHERE memory_id = o.memory_id;
        UPDATE observation_sources SET current = false, stated = false WHERE observation_id = o.memory_id AND source_id <> NEW.memory_id;
        UPDATE observations SET suspect = true WHERE memory_id = o.memory_id;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER derived_follows AFTER UPDATE OF audience_id ON memories FOR EACH ROW
    WHEN (NEW.category <> 'observation' AND OLD.audience_id <> NEW.audience_id) EXECUTE FUNCTION follow_source();

-- §9: an observation is read by those who read what it rests on, and its words are those of its sources. It moves and changes by
-- no request but those below.
CREATE FUNCTION keep_observation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM observations d WHERE d.memory_id = OLD.memory_id) AND NOT (
        audience_covers(OLD.audience_id, NEW.audience_id)
        AND EXISTS (SELECT FROM observation_sources x JOIN memories s ON s.memory_id = x.source_id
                    WHERE x.observation_id = OLD.memory_id AND s.audience_id = NEW.audience_id)) THEN
        PERFORM refuse('observation_is_derived');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER kept_derived BEFORE UPDATE OF audience_id ON memories FOR EACH ROW
    WHEN (OLD.category = 'observation' AND OLD.audience_id <> NEW.audience_id) EXECUTE FUNCTION keep_observation();
CREATE FUNCTION keep_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (current_user = 'whoknows_request' OR current_setting('whoknows.observing', true) IS DISTINCT FROM OLD.memory_id::text)
       AND EXISTS (SELECT FROM observations d WHERE d.memory_id = OLD.memory_id) THEN
        PERFORM refuse('observation_is_derived');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER kept_words BEFORE UPDATE OF content, title, category ON memories FOR EACH ROW
    WHEN (OLD.category = 'observation' AND (OLD.content, OLD.title, OLD.category) IS DISTINCT FROM (NEW.content, NEW.title, NEW.category))
    EXECUTE FUNCTION keep_words();

-- The sources, locked until the commit: false where one of them is not what it was, or not there for this audience any more.
-- A deletion that comes first is seen here; one that comes later finds the observation.
CREATE FUNCTION hold_sources(audience int, sources uuid[], hashes text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM FROM memories WHERE memory_id = ANY (sources) ORDER BY memory_no FOR SHARE;
    RETURN cardinality(sources) >= 2 AND cardinality(sources) = (
        SELECT count(DISTINCT m.memory_id) FROM memories m
            JOIN unnest(sources, hashes) w(id, hash) ON w.id = m.memory_id AND w.hash = m.content_hash
        WHERE m.audience_id = audience AND may_be_observed(m)
          AND NOT EXISTS (SELECT FROM tombstones t WHERE t.memory_id = m.memory_id));
END $$;

-- What an observation says and rests on: `stated_` is the source whose words it has; else `words` are its own, with the terms and
-- vectors that go with them; without either it keeps the words that it has. `cited`: one object for each quote. The caller has
-- checked everything.
CREATE FUNCTION fill_observation(observation uuid, sources uuid[], stated_ uuid, words jsonb, cited jsonb, terms_ bigint[],
                                 frequencies_ int[], length_ int, vectors halfvec[], pending boolean, change_ text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    o memories%ROWTYPE;
    s memories%ROWTYPE;
    renamed boolean;
BEGIN
    SELECT * INTO STRICT o FROM memories WHERE memory_id = observation;
    IF stated_ IS NOT NULL THEN
        SELECT * INTO STRICT s FROM memories WHERE memory_id = stated_;
    ELSIF words IS NULL THEN
        s := o;
    ELSE
        s.content := words ->> 'content';
        s.title := words ->> 'title';
        s.content_hash := words ->> 'content_hash';
        s.wide := (words ->> 'wide')::boolean;
        s.embedded := NOT pending;
        s.tags := o.tags;
    END IF;
    renamed := (o.content_hash, o.title) IS DISTINCT FROM (s.content_hash, s.title);
    PERFORM set_config('whoknows.observing', observation::text, true);
    UPDATE memories SET content = s.content, title = s.title, content_hash = s.content_hash, wide = s.wide, embedded = s.embedded,
            tags = s.tags, version = version + (renamed AND change_ <> 'observed')::int, updated_at = now(),
            expires_at = (SELECT min(m.expires_at) FROM memories m WHERE m.memory_id = ANY (sources))
        WHERE memory_id = observation RETURNING * INTO o;
    PERFORM set_config('whoknows.observing', '', true);
    IF renamed OR change_ = 'observed' THEN
        INSERT INTO versions (tenant_id, memory_id, version, audience_id, content, title, category, tags, changed_by, change)
            VALUES (o.tenant_id, observation, o.version, o.audience_id, o.content, o.title, o.category, o.tags,
                    coalesce(my_actor(), o.author_id), change_);
    END IF;
    UPDATE observation_sources SET current = false, stated = false WHERE observation_id = observation AND NOT source_id = ANY (sources);
    INSERT INTO observation_sources (tenant_id, observation_id, source_id, version, content_hash, stated)
        SELECT m.tenant_id, observation, m.memory_id, m.version, m.content_hash, m.memory_id IS NOT DISTINCT FROM stated_
        FROM memories m WHERE m.memory_id = ANY (sources)
        ON CONFLICT (observation_id, source_id) DO UPDATE
            SET version = EXCLUDED.version, content_hash = EXCLUDED.content_hash, current = true, stated = EXCLUDED.stated;
    UPDATE observations SET suspect = false, computed_at = now() WHERE memory_id = observation;
    DELETE FROM evidence WHERE memory_id = observation;
    INSERT INTO evidence (tenant_id, memory_id, audience_id, added_by, source_kind, locator, revision, quote, quote_start, quote_end,
                          quote_hash, verified, verified_at, checked_at_revision, source_memory)
        SELECT o.tenant_id, observation, o.audience_id, o.author_id, 'memory', c.locator, m.version::text, c.quote, c.quote_start,
               c.quote_end, c.quote_hash, c.verified, CASE WHEN c.verified THEN now() END, m.version::text, m.memory_id
        FROM jsonb_to_recordset(cited) c(locator text, quote text, quote_start int, quote_end int, quote_hash text, verified boolean)
            JOIN memories m ON m.memory_id = c.locator::uuid AND m.memory_id = ANY (sources)
        ON CONFLICT DO NOTHING;
    IF stated_ IS NULL AND words IS NULL THEN
        UPDATE documents SET expires_at = o.expires_at WHERE memory_no = o.memory_no;
        UPDATE postings p SET expires_at = o.expires_at FROM documents d, unnest(d.terms) t(term)
            WHERE d.memory_no = o.memory_no AND p.audience_id = d.audience_id AND p.term = t.term AND p.memory_no = o.memory_no;
        UPDATE passages SET expires_at = o.expires_at WHERE memory_no = o.memory_no;
    ELSIF stated_ IS NULL THEN
        PERFORM put_index(observation, terms_, frequencies_, length_, vectors, pending);
    ELSE
        PERFORM leave_postings(ARRAY[o.memory_no]);
        DELETE FROM documents WHERE memory_no = o.memory_no;
        DELETE FROM passages WHERE memory_no = o.memory_no;
        DELETE FROM pending_embeddings WHERE memory_id = observation;
        PERFORM copy_index(s.memory_no, o.memory_no);
    END IF;
    RETURN renamed;
END $$;

-- made; taken: its sources are stated already; refused: somebody deleted an observation of them; changed: a source is not what it
-- was. `who` NULL: the author of the words that it states.
CREATE FUNCTION put_observation(new_id uuid, audience int, who int, sources uuid[], hashes text[], stated_ uuid, words jsonb, cited jsonb,
                                terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean, state_ text,
                                made_ text, gathered_ text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    f memories%ROWTYPE;
    sorted uuid[] := ARRAY(SELECT DISTINCT s FROM unnest(sources) s ORDER BY s);
BEGIN
    PERFORM pg_advisory_xact_lock(7466210, audience);
    IF NOT hold_sources(audience, sources, hashes) THEN
        RETURN 'changed';
    END IF;
    IF gathered_ = 'near' AND EXISTS (
        SELECT FROM observations d JOIN observation_sources x ON x.observation_id = d.memory_id
        WHERE d.gathered = 'near' AND x.current AND x.source_id = ANY (sources)) THEN
        RETURN 'taken';
    END IF;
    IF gathered_ = 'listed' AND EXISTS (
        SELECT FROM observations d JOIN memories m USING (memory_id)
        WHERE d.gathered = 'listed' AND m.audience_id = audience AND m.state IN ('active', 'held')
          AND CASE WHEN stated_ IS NULL THEN m.content_hash = words ->> 'content_hash' ELSE d.made = 'extractive' END
          AND d.memory_id IN (SELECT x.observation_id FROM observation_sources x WHERE x.source_id = sorted[1] AND x.current)
          AND sorted = (SELECT array_agg(x.source_id ORDER BY x.source_id) FROM observation_sources x
                        WHERE x.observation_id = d.memory_id AND x.current)) THEN
        RETURN 'taken';
    END IF;
    IF EXISTS (SELECT FROM observation_refusals r WHERE r.audience_id = audience AND r.sources @> sorted) THEN
        IF gathered_ = 'near' THEN
            RETURN 'refused';
        END IF;
        DELETE FROM observation_refusals r WHERE r.audience_id = audience AND r.sources @> sorted;  -- asked for again, by name
    END IF;
    SELECT * INTO STRICT f FROM memories WHERE memory_id = coalesce(stated_, sources[1]);
    INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, category, project_id, state, content_hash, dedupe_key)
        VALUES (f.tenant_id, new_id, audience, coalesce(who, f.author_id), '', 'observation',
                (SELECT min(m.project_id) FROM memories m WHERE m.memory_id = ANY (sources)
                 HAVING count(*) = count(m.project_id) AND count(DISTINCT m.project_id) = 1),
                state_, '', decode(md5(new_id::text), 'hex'));
    INSERT INTO observations (tenant_id, memory_id, made, gathered) VALUES (f.tenant_id, new_id, made_, gathered_);
    INSERT INTO memory_authors (tenant_id, memory_id, audience_id, author_id)
        SELECT tenant_id, memory_id, audience_id, author_id FROM memories WHERE memory_id = new_id;
    PERFORM fill_observation(new_id, sources, stated_, words, cited, terms_, frequencies_, length_, vectors, pending, 'observed');
    RETURN 'made';
END $$;

-- A new version in place; `state_` is what the gate says of it today.
CREATE FUNCTION put_again(observation uuid, version_ int, sources uuid[], hashes text[], stated_ uuid, words jsonb, cited jsonb,
                          terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean, state_ text, made_ text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    o memories%ROWTYPE;
    renamed boolean;
BEGIN
    SELECT * INTO o FROM memories WHERE memory_id = observation;
    IF NOT FOUND THEN
        RETURN 'changed';
    END IF;
    PERFORM pg_advisory_xact_lock(7466210, o.audience_id);
    IF NOT hold_sources(o.audience_id, sources, hashes) THEN
        RETURN 'changed';
    END IF;
    SELECT * INTO o FROM memories WHERE memory_id = observation FOR UPDATE;
    IF NOT FOUND OR o.version <> version_ OR o.state NOT IN ('active', 'held') THEN
        RETURN 'changed';
    END IF;
    renamed := fill_observation(observation, sources, stated_, words, cited, terms_, frequencies_, length_, vectors, pending, 'recomputed');
    UPDATE observations SET made = made_ WHERE memory_id = observation;
    IF renamed AND state_ = 'held' AND o.state = 'active' THEN  -- other words wait for the reviewer as the first ones did
        UPDATE memories SET state = 'held' WHERE memory_id = observation;
        PERFORM set_live(ARRAY[o.memory_no], false);
    END IF;
    RETURN CASE WHEN renamed THEN 'recomputed' ELSE 'unchanged' END;
END $$;

-- Fewer than two sources are left: it is nothing that several say any more.
CREATE FUNCTION retire_observation(observation uuid, version_ int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    o memories%ROWTYPE;
BEGIN
    SELECT * INTO o FROM memories WHERE memory_id = observation FOR UPDATE;
    IF NOT FOUND OR o.version <> version_ OR o.state NOT IN ('active', 'held') THEN
        RETURN 'changed';
    END IF;
    PERFORM set_live(ARRAY[o.memory_no], false);
    UPDATE memories SET state = 'archived', updated_at = now(), reason = 'fewer than two of its sources are left'
        WHERE memory_id = observation;
    UPDATE observations SET suspect = false WHERE memory_id = observation;
    RETURN 'archived';
END $$;

-- W9: the observations that rest on any of these, or once did, and go with them, as what was distilled from answers goes. What is left of their sources is remembered, so
-- that it can be stated anew; and of an observation that somebody deletes itself the set, so that it does not come back.
CREATE OR REPLACE FUNCTION derived_from(ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    every uuid[] := ARRAY(SELECT DISTINCT x.observation_id FROM observation_sources x WHERE x.source_id = ANY (ids));
BEGIN
    INSERT INTO observation_remakes (tenant_id, observation_id, audience_id, gathered, sources)
        SELECT d.tenant_id, d.memory_id, m.audience_id, d.gathered, x.left_over
        FROM observations d JOIN memories m USING (memory_id) CROSS JOIN LATERAL (
            SELECT array_agg(x.source_id ORDER BY x.source_id) AS left_over FROM observation_sources x
            WHERE x.observation_id = d.memory_id AND x.current AND NOT x.source_id = ANY (ids)) x
        WHERE d.memory_id = ANY (every) AND m.state IN ('active', 'held') AND cardinality(x.left_over) >= 2
        ON CONFLICT (observation_id) DO UPDATE SET sources = EXCLUDED.sources;
    IF my_actor() IS NOT NULL THEN
        INSERT INTO observation_refusals (tenant_id, audience_id, sources)
            SELECT d.tenant_id, m.audience_id, array_agg(x.source_id ORDER BY x.source_id)
            FROM observations d JOIN memories m USING (memory_id) JOIN observation_sources x ON x.observation_id = d.memory_id
            WHERE d.memory_id = ANY (ids) AND NOT d.memory_id = ANY (every)
            GROUP BY d.tenant_id, m.audience_id, d.memory_id
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN every || distilled_from_answers(ids);
END $$;

CALL keep_functions(
    for_requests => ARRAY['may_be_observed'],
    for_jobs => ARRAY['may_be_observed', 'put_observation', 'put_again', 'retire_observation']);
