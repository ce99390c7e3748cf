-- Evidence (rules §8): each piece carries the audience of its source, says whether its quote was found there, and is told when
-- the source moves or goes.

-- `bound`: `audience_id` is that of the source, and stays so when the memory moves. `moved_at`: since when the newest state of the
-- source, `moved_to`, does not say it any more; `gone_at`: since when the source is not there. `checked_at_revision`: the state in
-- which the quote was looked for last.
ALTER TABLE evidence
    ADD COLUMN source_memory uuid,
    ADD COLUMN source_id uuid,
    ADD COLUMN bound boolean NOT NULL DEFAULT false,
    ADD COLUMN checked_at_revision text,
    ADD COLUMN moved_at timestamptz,
    ADD COLUMN moved_to text,
    ADD COLUMN gone_at timestamptz;
-- What is quoted of a memory is read while that memory is (R1: it may have expired, or be held): until it is gone, and the quote too.
DROP POLICY visible ON evidence;
CREATE POLICY visible ON evidence FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = evidence.memory_id)
        AND (source_memory IS NULL OR gone_at IS NOT NULL OR EXISTS (SELECT FROM memories s WHERE s.memory_id = evidence.source_memory)));
CREATE INDEX evidence_of_memory ON evidence (source_memory) WHERE source_memory IS NOT NULL;
CREATE INDEX evidence_of_source ON evidence (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX principals_of_account ON principals (account_id) WHERE account_id IS NOT NULL;

-- Who reads an audience by today's tables: what my_audiences() says of each of them, from the other side. Its task is asked apart.
CREATE FUNCTION readers_of(audience int) RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT p.principal_id), '{}') FROM (
        SELECT g.to_id AS id, g.owner_id, g.session_id FROM audience_grants g WHERE g.audience_id = audience AND g.kind = 'self'
        UNION ALL
        SELECT a.principal_id, g.owner_id, g.session_id
        FROM audience_grants g JOIN principals m ON m.principal_id = g.to_id AND m.deleted_at IS NULL
            JOIN principals a ON a.account_id = m.principal_id AND a.kind = 'agent' AND a.role = 'main'
        WHERE g.audience_id = audience AND g.kind = 'self'
        UNION ALL
        SELECT t.id, g.owner_id, g.session_id
        FROM audience_grants g CROSS JOIN LATERAL readers_of_team(g.to_id) t(id) WHERE g.audience_id = audience AND g.kind = 'team'
        UNION ALL
        SELECT g.to_id, g.owner_id, g.session_id FROM audience_grants g
        WHERE g.audience_id = audience AND g.kind = 'while_on_team' AND on_team(g.to_id, g.team_id)
        UNION ALL
        SELECT s.principal_id, g.owner_id, g.session_id
        FROM audience_grants g JOIN principals t ON t.principal_id = g.team_id AND t.deleted_at IS NULL
            JOIN memberships s ON s.team_id = g.team_id AND s.role = 'owner'
        WHERE g.audience_id = audience AND g.kind = 'team_owners') r
    JOIN principals p ON p.principal_id = r.id AND p.deleted_at IS NULL AND p.kind <> 'team'
    WHERE (r.session_id IS NULL OR r.owner_id = p.principal_id) AND (p.clearance = 'open' OR r.owner_id = p.principal_id)
$$;

CREATE FUNCTION readers_of_team(team int) RETURNS SETOF int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT s.principal_id FROM memberships s JOIN principals t ON t.principal_id = s.team_id AND t.deleted_at IS NULL
        JOIN principals p ON p.principal_id = s.principal_id AND p.deleted_at IS NULL AND p.clearance = 'open'
    WHERE s.team_id = team
    UNION
    SELECT p.principal_id FROM principals t JOIN principals p ON p.tenant_id = t.tenant_id
    WHERE t.principal_id = team AND t.kind = 'team' AND t.name = '*' AND p.kind <> 'team' AND p.deleted_at IS NULL AND p.clearance = 'open'
$$;

CREATE FUNCTION on_team(who int, team int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM principals t WHERE t.principal_id = team AND t.deleted_at IS NULL AND (
        t.name = '*' OR EXISTS (SELECT FROM memberships s WHERE s.team_id = team AND s.principal_id = who)))
$$;

-- Whether each reader of `destination` may read what is for `source`, by today's tables.
CREATE FUNCTION audience_covers(source int, destination int) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    s audiences%ROWTYPE;
    d audiences%ROWTYPE;
BEGIN
    IF source = destination THEN
        RETURN true;
    END IF;
    SELECT * INTO s FROM audiences WHERE audience_id = source;
    SELECT * INTO d FROM audiences WHERE audience_id = destination;
    IF s.tenant_id IS DISTINCT FROM d.tenant_id OR s.task_id <> coalesce(d.task_id, '') THEN
        RETURN false;
    END IF;
    IF s.layer = 'team' AND d.layer = 'team' AND s.owner_id = d.owner_id AND s.readers = '{}' THEN
        RETURN true;  -- a part of the same team
    END IF;
    RETURN readers_of(destination) <@ readers_of(source);
END $$;

-- The same for one who reads both; of others it says no.
CREATE FUNCTION i_see_covered(source int, destination int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT ARRAY[source, destination] <@ my_audiences() AND audience_covers(source, destination)
$$;

-- Whether what `memory` says rests on `target`, through whatever it quotes.
CREATE FUNCTION rests_on(memory uuid, target uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    WITH RECURSIVE below AS (
        SELECT memory AS id
        UNION
        SELECT e.source_memory FROM below b JOIN evidence e ON e.memory_id = b.id WHERE e.source_memory IS NOT NULL)
    SELECT EXISTS (SELECT FROM below b WHERE b.id = target)
$$;

-- Evidence of the actor for memories that it wrote, or joined. What a quote was found in is looked at again as far as it is in this
-- database, and held as it is until the commit: an edit or a deletion of it comes before, or finds this row.
CREATE FUNCTION cite(items jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    who int := my_actor();
    mine int[] := my_audiences();
    i record;
    m memories%ROWTYPE;
    s memories%ROWTYPE;
    good boolean;
BEGIN
    FOR i IN SELECT * FROM jsonb_to_recordset(items) x(memory_id uuid, audience int, source_kind text, locator text, revision text,
                 quote text, quote_start int, quote_end int, quote_hash text, verified boolean, source_memory uuid, source_id uuid) LOOP
        IF m.memory_id IS DISTINCT FROM i.memory_id THEN
            SELECT * INTO m FROM memories WHERE memory_id = i.memory_id AND tenant_id = my_tenant();
            IF who IS NULL OR m.memory_id IS NULL OR NOT EXISTS (
                    SELECT FROM memory_authors o WHERE o.memory_id = m.memory_id AND o.author_id = who) THEN
                PERFORM refuse('may_not_write');
            END IF;
        END IF;
        IF NOT coalesce(i.audience, m.audience_id) = ANY (mine) THEN
            PERFORM refuse('may_not_write');
        END IF;
        good := coalesce(i.verified, false) AND i.quote IS NOT NULL AND i.source_kind IN ('git', 'file', 'message', 'memory')
            AND (i.audience IS NULL OR audience_covers(i.audience, m.audience_id));
        IF i.source_kind = 'memory' AND (good OR i.source_memory IS NOT NULL) THEN
            SELECT * INTO s FROM memories x WHERE x.memory_id = i.source_memory AND x.tenant_id = m.tenant_id FOR SHARE;
            IF s.memory_id IS NULL OR s.audience_id IS DISTINCT FROM i.audience OR (good AND s.version::text IS DISTINCT FROM i.revision) THEN
                PERFORM refuse('source_changed');
            END IF;
            good := good AND s.state = 'active' AND s.injected_by_id IS NULL AND NOT rests_on(s.memory_id, m.memory_id);
        END IF;
        INSERT INTO evidence (tenant_id, memory_id, audience_id, bound, added_by, source_kind, locator, revision, quote, quote_start,
                              quote_end, quote_hash, verified, verified_at, checked_at_revision, source_memory, source_id)
            VALUES (m.tenant_id, m.memory_id, coalesce(i.audience, m.audience_id), i.audience IS NOT NULL, who, i.source_kind, i.locator,
                    i.revision, i.quote, i.quote_start, i.quote_end, i.quote_hash, good, CASE WHEN good THEN now() END, i.revision,
                    i.source_memory, i.source_id)
            ON CONFLICT DO NOTHING;
    END LOOP;
END $$;
-- The only way in.
DROP POLICY written ON evidence;
REVOKE INSERT ON evidence FROM whoknows_request;

-- Look again: what became of one piece of evidence. `stands`: the newest state of its source says it; `gone`: there is no such source
-- any more. What a commit said it still says; a source without a past does not.
CREATE FUNCTION mark_evidence(evidence bigint, hash text, revision_ text, stands boolean, gone boolean, start int, end_ int)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    e evidence%ROWTYPE;
    lasting boolean;
    good boolean;
BEGIN
    SELECT * INTO e FROM evidence x
        WHERE x.evidence_id = evidence AND x.quote_hash IS NOT DISTINCT FROM hash AND x.quote IS NOT NULL FOR UPDATE;
    IF e.evidence_id IS NULL THEN  -- it went, or its quote did, since it was looked at
        RETURN false;
    END IF;
    lasting := e.source_kind = 'git' AND e.verified;
    good := stands AND e.source_kind IN ('git', 'file', 'message', 'memory')
        AND audience_covers(e.audience_id, (SELECT m.audience_id FROM memories m WHERE m.memory_id = e.memory_id))
        AND (e.source_kind <> 'memory' OR (NOT rests_on(e.source_memory, e.memory_id) AND EXISTS (
            SELECT FROM memories s WHERE s.memory_id = e.source_memory AND s.state = 'active' AND s.injected_by_id IS NULL)));
    UPDATE evidence x SET checked_at_revision = revision_,
            moved_at = CASE WHEN NOT stands AND NOT gone AND (e.verified OR e.moved_at IS NOT NULL) THEN coalesce(e.moved_at, now()) END,
            moved_to = CASE WHEN NOT stands AND NOT gone AND (e.verified OR e.moved_at IS NOT NULL) THEN revision_ END,
            gone_at = CASE WHEN gone THEN coalesce(e.gone_at, now()) END
        WHERE x.evidence_id = evidence;
    IF NOT lasting THEN
        UPDATE evidence x SET verified = good, verified_at = CASE WHEN good THEN now() ELSE e.verified_at END,
                revision = CASE WHEN stands THEN revision_ ELSE e.revision END,
                quote_start = CASE WHEN stands THEN start ELSE e.quote_start END,
                quote_end = CASE WHEN stands THEN end_ ELSE e.quote_end END
            WHERE x.evidence_id = evidence;
    END IF;
    RETURN true;
END $$;

-- By request: for one who may change the memory, and reads the evidence.
CREATE FUNCTION reverify_evidence(evidence bigint, hash text, revision_ text, stands boolean, gone boolean, start int, end_ int)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM evidence e JOIN memories m USING (memory_id)
                   WHERE e.evidence_id = evidence AND m.tenant_id = my_tenant() AND e.audience_id = ANY (my_audiences())
                     AND i_may_change(m.audience_id, m.author_id, m.memory_id)) THEN
        PERFORM refuse('may_not_change');
    END IF;
    RETURN mark_evidence(evidence, hash, revision_, stands, gone, start, end_);
END $$;

-- A memory that is quoted was edited, moved or withdrawn: in that transaction.
CREATE FUNCTION quoted_memory_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM evidence e WHERE e.source_memory = NEW.memory_id) THEN
        RETURN NULL;
    END IF;
    IF NEW.content <> OLD.content THEN
        UPDATE evidence e SET revision = NEW.version::text, checked_at_revision = NEW.version::text,
                quote_start = strpos(NEW.content, e.quote) - 1, quote_end = strpos(NEW.content, e.quote) - 1 + length(e.quote)
            WHERE e.source_memory = NEW.memory_id AND strpos(NEW.content, e.quote) > 0;
        UPDATE evidence e SET verified = false, moved_at = now(), moved_to = NEW.version::text, checked_at_revision = NEW.version::text
            WHERE e.source_memory = NEW.memory_id AND e.verified AND strpos(NEW.content, e.quote) = 0;
    END IF;
    IF NEW.audience_id <> OLD.audience_id THEN
        UPDATE evidence e SET audience_id = NEW.audience_id, verified = e.verified AND audience_covers(NEW.audience_id, m.audience_id)
            FROM memories m WHERE e.source_memory = NEW.memory_id AND m.memory_id = e.memory_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER quoted AFTER UPDATE OF content, audience_id ON memories FOR EACH ROW EXECUTE FUNCTION quoted_memory_changes();

-- As in 0005, but that evidence which carries the audience of its source keeps it, and is none for readers who may not read that.
CREATE OR REPLACE FUNCTION move_memory(memory uuid, audience int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO STRICT m FROM memories WHERE memory_id = memory;
    PERFORM leave_postings(ARRAY[m.memory_no]);
    UPDATE memories SET audience_id = audience, updated_at = now() WHERE memory_id = memory;
    UPDATE memory_authors SET audience_id = audience WHERE memory_id = memory;
    UPDATE evidence SET audience_id = audience WHERE memory_id = memory AND audience_id = m.audience_id AND NOT bound;
    UPDATE evidence SET verified = false WHERE memory_id = memory AND bound AND verified AND NOT audience_covers(audience_id, audience);
    UPDATE overturnings SET audience_id = audience WHERE old_id = memory;
    UPDATE documents SET audience_id = audience WHERE memory_no = m.memory_no;
    UPDATE passages SET audience_id = audience WHERE memory_no = m.memory_no;
    PERFORM enter_postings(ARRAY[m.memory_no]);
END $$;

-- W9: what was quoted of these goes; that there was a source, and is none any more, stays.
CREATE OR REPLACE FUNCTION leave_evidence(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    DELETE FROM evidence e USING evidence f
        WHERE e.source_memory = ANY (ids) AND f.source_memory = e.source_memory AND f.memory_id = e.memory_id AND f.added_by = e.added_by
          AND f.evidence_id < e.evidence_id;
    UPDATE evidence e SET quote = NULL, quote_start = NULL, quote_end = NULL, quote_hash = NULL, verified = false, verified_at = NULL,
            revision = NULL, moved_at = NULL, moved_to = NULL, gone_at = now()
        WHERE e.source_memory = ANY (ids);
$$;

-- P1: a copy carries the evidence that its readers may read: of its audience, or of one that holds all of them. What an author only
-- says of a private memory's source is nobody else's.
CREATE OR REPLACE FUNCTION copy_evidence(original uuid, copy uuid, audience int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    INSERT INTO evidence (tenant_id, memory_id, audience_id, bound, added_by, source_kind, locator, revision, quote, quote_start,
                          quote_end, quote_hash, verified, verified_at, checked_at_revision, source_memory, source_id, moved_at, moved_to,
                          gone_at)
        SELECT e.tenant_id, copy, e.audience_id, e.bound, e.added_by, e.source_kind, e.locator, e.revision, e.quote, e.quote_start,
               e.quote_end, e.quote_hash, e.verified, e.verified_at, e.checked_at_revision, e.source_memory, e.source_id, e.moved_at,
               e.moved_to, e.gone_at
        FROM evidence e JOIN audiences a USING (audience_id)
        WHERE e.memory_id = original AND (e.bound OR a.layer <> 'private') AND audience_covers(e.audience_id, audience)
        ON CONFLICT DO NOTHING
$$;

-- How well a copy for a team would be evidenced, by the same rule (P1). 0 none … 3 verified.
CREATE FUNCTION copied_level(original uuid, team int) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(max(CASE WHEN e.verified THEN 3 WHEN e.quote IS NOT NULL THEN 2 ELSE 1 END), 0)
    FROM memories m JOIN evidence e USING (memory_id) JOIN audiences a ON a.audience_id = e.audience_id
    WHERE m.memory_id = original AND m.tenant_id = my_tenant() AND m.audience_id = ANY (my_audiences()) AND a.task_id IS NULL
      AND (e.bound OR a.layer <> 'private')
      AND (a.layer = 'team' AND a.owner_id = team AND a.readers = '{}'
           OR ARRAY(SELECT t FROM readers_of_team(team) t) <@ readers_of(a.audience_id))
$$;

-- Whoever writes evidence from a memory of this database: it is found by it again, and leaves with it.
CREATE FUNCTION place_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.source_memory := NEW.locator::uuid;
    NEW.bound := true;
    RETURN NEW;
END $$;
CREATE TRIGGER placed BEFORE INSERT ON evidence FOR EACH ROW
    WHEN (NEW.source_kind = 'memory' AND NEW.verified AND NEW.source_memory IS NULL AND NEW.locator ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
    EXECUTE FUNCTION place_evidence();

-- Words that became one with others took their evidence along: what was quoted from those others proves nothing there.
CREATE FUNCTION evidence_joins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF rests_on(NEW.source_memory, NEW.memory_id) THEN
        NEW.verified := false;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER joined BEFORE UPDATE OF memory_id ON evidence FOR EACH ROW
    WHEN (NEW.source_memory IS NOT NULL AND NEW.memory_id <> OLD.memory_id) EXECUTE FUNCTION evidence_joins();

-- What background work looks at again: pieces of evidence whose quote was not looked for in the newest state of its registered
-- source, or whose source is registered no more (then `root` is NULL).
CREATE FUNCTION evidence_due(most int) RETURNS TABLE (evidence_id bigint, quote text, quote_hash text, locator text, source_kind text,
                                                      root_kind text, root text, revision text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT e.evidence_id, e.quote, e.quote_hash, e.locator, e.source_kind, s.kind, s.locator, s.revision
        FROM evidence e LEFT JOIN sources s USING (source_id)
        WHERE e.source_id IS NOT NULL AND e.quote IS NOT NULL
          AND CASE WHEN s.source_id IS NULL THEN e.gone_at IS NULL
                   ELSE s.revision IS NOT NULL AND e.checked_at_revision IS DISTINCT FROM s.revision END
        ORDER BY e.evidence_id LIMIT most;
END $$;

CALL keep_functions(for_requests => ARRAY['cite', 'i_see_covered', 'reverify_evidence', 'copied_level'], for_jobs => ARRAY['evidence_due', 'mark_evidence']);
