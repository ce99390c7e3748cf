-- Injections (rules §5): what a main agent gave to a descendant, as a copy that ends with the right it came from.
-- `original_id` is not granted to requests: the target is not told of what its copy is one (P1).

CREATE TABLE injections (
    tenant_id    int NOT NULL REFERENCES tenants,
    injection_id uuid PRIMARY KEY,
    giver_id     int NOT NULL REFERENCES principals,
    target_id    int NOT NULL REFERENCES principals,
    original_id  uuid NOT NULL,
    memory_id    uuid NOT NULL UNIQUE,
    task_no      int REFERENCES tasks,
    basis        text NOT NULL CHECK (basis IN ('listed', 'team', 'shared', 'passed_on')),
    may_pass_on  boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    ended_at     timestamptz,
    ended_why    text
);
CREATE UNIQUE INDEX injections_once ON injections (giver_id, target_id, original_id, task_no) NULLS NOT DISTINCT WHERE ended_at IS NULL;
CREATE INDEX injections_original ON injections (original_id) WHERE ended_at IS NULL;
CREATE INDEX injections_target ON injections (target_id, injection_id);
CREATE INDEX injections_giver ON injections (giver_id, injection_id);
CREATE INDEX injections_live ON injections (tenant_id) WHERE ended_at IS NULL;
CREATE INDEX injections_task ON injections (task_no) WHERE task_no IS NOT NULL AND ended_at IS NULL;
CALL keep_table('injections');
GRANT SELECT (tenant_id, injection_id, giver_id, target_id, memory_id, task_no, basis, may_pass_on, created_at, expires_at,
        ended_at, ended_why) ON injections TO whoknows_request;
-- It stays the giver's, also when it has ended; its target sees it while the copy is there to be read.
CREATE POLICY mine ON injections FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND coalesce(task_no = (SELECT my_task_no()), true)
        AND (giver_id = (SELECT my_principal())
        OR (target_id = (SELECT my_principal()) AND ended_at IS NULL
            AND EXISTS (SELECT FROM memories m WHERE m.memory_id = injections.memory_id))));

-- R1 for anybody, about one audience, without a task or a session: a right that is given on must hold by itself.
CREATE FUNCTION reads(who int, audience int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM audience_grants g
        JOIN principals p ON p.principal_id = who AND p.tenant_id = g.tenant_id AND p.deleted_at IS NULL
        LEFT JOIN principals a ON a.principal_id = p.account_id AND a.deleted_at IS NULL AND p.kind = 'agent' AND p.role = 'main'
        WHERE g.audience_id = audience AND (g.session_id IS NULL OR g.owner_id = who)
          AND (p.clearance = 'open' OR g.owner_id = who)
          AND CASE g.kind
                  WHEN 'self' THEN g.to_id = who OR g.to_id = a.principal_id
                  WHEN 'team' THEN role_on(who, g.to_id) IS NOT NULL
                  WHEN 'while_on_team' THEN g.to_id = who AND role_on(who, g.team_id) IS NOT NULL
                  WHEN 'team_owners' THEN role_on(who, g.team_id) = 'owner'
              END)
$$;

-- As team_role, for the functions that run when a right ends, whoever ends it.
CREATE FUNCTION role_on(who int, team int) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(
        (SELECT m.role FROM memberships m JOIN principals t ON t.principal_id = m.team_id AND t.deleted_at IS NULL
         WHERE m.principal_id = who AND m.team_id = team),
        (SELECT 'reader' FROM principals p JOIN principals t ON t.tenant_id = p.tenant_id AND t.kind = 'team' AND t.name = '*'
         WHERE p.principal_id = who AND p.deleted_at IS NULL AND t.principal_id = team))
$$;

-- I1, I2: on what basis `giver` may give `original` to `target` now, or NULL. `listed`: the giver names it by its id.
CREATE FUNCTION may_give(giver int, target int, original uuid, listed boolean, task int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
    a audiences%ROWTYPE;
    main boolean;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = original AND state = 'active' AND (expires_at IS NULL OR expires_at > now());
    SELECT * INTO a FROM audiences WHERE audience_id = m.audience_id;
    SELECT p.role = 'main' INTO main FROM principals p
        WHERE p.principal_id = giver AND p.tenant_id = m.tenant_id AND p.kind = 'agent' AND p.deleted_at IS NULL;
    IF main IS NULL OR NOT descends(target, giver) OR NOT reads(giver, a.audience_id) OR a.session_id IS NOT NULL
       OR (a.task_id IS NOT NULL AND a.task_id IS DISTINCT FROM (SELECT t.name || '#' || t.task_no FROM tasks t WHERE t.task_no = task)) THEN
        RETURN NULL;
    END IF;
    IF a.layer = 'injected' THEN  -- I4: passed on only where that was granted
        RETURN (SELECT 'passed_on' FROM injections i
                WHERE i.memory_id = original AND i.target_id = giver AND i.ended_at IS NULL AND i.may_pass_on);
    END IF;
    RETURN CASE
        WHEN NOT main THEN NULL
        WHEN a.layer = 'team' AND a.readers <> '{}' THEN
            CASE WHEN target = ANY (a.readers) AND role_on(target, a.owner_id) IS NOT NULL THEN 'team' END
        WHEN a.layer = 'team' THEN
            CASE WHEN role_on(target, a.owner_id) IS NOT NULL
                OR (SELECT t.share_with_subagents FROM principals t WHERE t.principal_id = a.owner_id) THEN 'team' END
        WHEN a.owner_id <> giver OR m.author_id <> giver OR m.origin IS NOT NULL THEN NULL
        WHEN target = ANY (a.readers) THEN 'shared'
        WHEN listed THEN 'listed' END;
END $$;

-- The copy of one memory for `target`, and since when it is one. What the right rests on is held until the commit, so that
-- whatever ends it either waits, and then finds the copy, or came before, and the right is gone.
CREATE FUNCTION give(injection uuid, copy uuid, target int, original uuid, listed boolean, task int, passes boolean,
                     ends timestamptz, project text, OUT given uuid, OUT at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    giver int := my_actor();
    m memories%ROWTYPE;
    a audiences%ROWTYPE;
    held injections%ROWTYPE;
    basis_ text;
    key text;
    above int[];
BEGIN
    LOOP
        above := line_above(target);
        PERFORM FROM principals p WHERE p.tenant_id = my_tenant() AND p.principal_id = ANY (above || giver || target)
            ORDER BY p.principal_id FOR SHARE;
        EXIT WHEN above = line_above(target);  -- somebody in it was moved meanwhile: the line is another
    END LOOP;
    SELECT * INTO m FROM memories WHERE memory_id = original AND tenant_id = my_tenant() FOR SHARE;
    SELECT * INTO a FROM audiences WHERE audience_id = m.audience_id;
    PERFORM FROM principals p WHERE p.principal_id = a.owner_id FOR SHARE;
    PERFORM FROM memberships s WHERE s.team_id = a.owner_id AND s.principal_id IN (giver, target) ORDER BY s.principal_id FOR SHARE;
    IF giver IS NULL OR m.memory_id IS NULL OR NOT m.audience_id = ANY (my_audiences()) THEN
        PERFORM refuse('not_yours_to_give');
    END IF;
    IF EXISTS (SELECT FROM credentials c WHERE c.credential_id = my_credential() AND c.task_id IS NOT NULL AND (task IS NULL
            OR c.task_no <> task OR c.task_id <> (SELECT t.name FROM tasks t WHERE t.task_no = task))) THEN
        PERFORM refuse('not_your_task');  -- a key of a task gives within it: what it gave must not outlive it
    END IF;
    IF task IS NOT NULL THEN
        PERFORM FROM tasks WHERE task_no = task FOR SHARE;
        IF NOT task_is_open(task) OR NOT EXISTS (SELECT FROM task_agents t WHERE t.task_no = task AND t.agent_id = target)
           OR NOT (i_opened(task) OR EXISTS (SELECT FROM task_agents t WHERE t.task_no = task AND t.agent_id = giver)) THEN
            PERFORM refuse('not_on_the_task');
        END IF;
        SELECT t.name || '#' || t.task_no, least(ends, t.expires_at) INTO key, ends FROM tasks t WHERE t.task_no = task;
    END IF;
    basis_ := may_give(giver, target, original, listed, task);
    IF basis_ IS NULL THEN
        PERFORM refuse('not_yours_to_give');
    END IF;
    LOOP
        INSERT INTO injections (tenant_id, injection_id, giver_id, target_id, original_id, memory_id, task_no, basis, may_pass_on, expires_at)
            VALUES (my_tenant(), injection, giver, target, original, copy, task, basis_, passes, least(ends, m.expires_at))
            ON CONFLICT (giver_id, target_id, original_id, task_no) WHERE ended_at IS NULL DO NOTHING;
        EXIT WHEN FOUND;
        -- Given before. It may end at this very moment; the copy is locked before its injection, as wherever one ends.
        PERFORM FROM memories c WHERE c.memory_id = (SELECT i.memory_id FROM injections i WHERE i.giver_id = giver
            AND i.target_id = give.target AND i.original_id = give.original AND i.task_no IS NOT DISTINCT FROM give.task
            AND i.ended_at IS NULL) FOR UPDATE;
        SELECT * INTO held FROM injections i WHERE i.giver_id = giver AND i.target_id = give.target AND i.original_id = give.original
            AND i.task_no IS NOT DISTINCT FROM give.task AND i.ended_at IS NULL FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF EXISTS (SELECT FROM copies c WHERE c.memory_id = held.memory_id AND c.version = m.version) THEN
            -- The same gift again: its terms are those of the last time.
            UPDATE injections SET may_pass_on = passes, basis = basis_, expires_at = least(ends, m.expires_at)
                WHERE injection_id = held.injection_id;
            PERFORM set_expiry(held.memory_id, least(ends, m.expires_at));
            IF held.may_pass_on AND NOT passes THEN
                PERFORM end_injections(ARRAY(SELECT i.injection_id FROM injections i
                    WHERE i.original_id = held.memory_id AND i.ended_at IS NULL), 'not to be passed on any more');
            END IF;
            given := held.memory_id;
            at := held.created_at;
            RETURN;
        END IF;
        -- The original changed since: what was given ends, and the present words are given.
        PERFORM end_injections(ARRAY[held.injection_id], 'given again');
    END LOOP;
    PERFORM copy_memory(copy, original, put_audience(m.tenant_id, 'injected', target, ARRAY[target], key, NULL),
        origin_of(original), giver, ends, 'injected', 'active', project);
    PERFORM note('memory.inject', copy::text, target, jsonb_build_object('injection', injection));
    PERFORM note('memory.give', original::text, NULL, jsonb_build_object('injection', injection));  -- of which the target is not told
    given := copy;
    at := now();
END $$;

CREATE FUNCTION set_expiry(memory uuid, ends timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    m memories%ROWTYPE;
BEGIN
    SELECT * INTO m FROM memories WHERE memory_id = memory FOR UPDATE;
    IF NOT FOUND OR m.expires_at IS NOT DISTINCT FROM ends THEN
        RETURN;
    END IF;
    UPDATE memories SET expires_at = ends WHERE memory_id = memory;
    UPDATE passages SET expires_at = ends WHERE memory_no = m.memory_no;
    PERFORM leave_postings(ARRAY[m.memory_no]);
    UPDATE documents SET expires_at = ends WHERE memory_no = m.memory_no;
    PERFORM enter_postings(ARRAY[m.memory_no]);
END $$;

-- The copies go, and what was passed on from them; how many of `ids` were there.
CREATE FUNCTION end_injections(ids uuid[], why text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    gone uuid[];
BEGIN
    PERFORM FROM memories WHERE memory_id IN (SELECT i.memory_id FROM injections i WHERE i.injection_id = ANY (ids))
        ORDER BY memory_no FOR UPDATE;  -- in the order of a deletion, which comes to the injection last
    WITH ended AS (UPDATE injections SET ended_at = now(), ended_why = why WHERE injection_id = ANY (ids) AND ended_at IS NULL
                   RETURNING memory_id)
        SELECT coalesce(array_agg(memory_id), '{}') INTO gone FROM ended;
    IF gone <> '{}' THEN
        PERFORM erase(gone, my_actor());
    END IF;
    RETURN cardinality(gone);
END $$;

-- What was injected and is deleted, by whatever verb, has ended.
CREATE FUNCTION injection_ended() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE injections SET ended_at = now(), ended_why = 'its original, or its time, ended'
        WHERE memory_id = OLD.memory_id AND ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER injection_ended AFTER DELETE ON copies FOR EACH ROW WHEN (OLD.kind = 'injected') EXECUTE FUNCTION injection_ended();

-- I3: every injection whose right is gone ends. Called where any right may end, for those that it may concern.
CREATE FUNCTION end_rights(tenant int, who int DEFAULT NULL, original uuid DEFAULT NULL) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    RETURN end_injections(ARRAY(
        SELECT i.injection_id FROM injections i
        WHERE i.tenant_id = tenant AND i.ended_at IS NULL
          AND (who IS NULL OR i.giver_id = who OR i.target_id = who) AND (end_rights.original IS NULL OR i.original_id = end_rights.original)
          AND may_give(i.giver_id, i.target_id, i.original_id, i.basis = 'listed', i.task_no) IS NULL), 'the right to it ended');
END $$;

CREATE FUNCTION rights_of_member_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM end_rights(OLD.tenant_id, OLD.principal_id);
    RETURN NULL;
END $$;
CREATE TRIGGER rights_end AFTER UPDATE OR DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION rights_of_member_end();

-- Parents, roles, clearances, accounts, what a team shares, and who is gone: rare, and so the whole tenant is looked through.
CREATE FUNCTION rights_of_principal_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM end_rights(NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER rights_end AFTER UPDATE OF deleted_at, parent_id, role, clearance, account_id, share_with_subagents ON principals
    FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION rights_of_principal_end();

-- An original that moved, is not current any more, or ends earlier.
CREATE FUNCTION rights_of_original_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT k.memory_id, m.expires_at FROM copies k JOIN memories m ON m.memory_id = k.memory_id
             WHERE k.original_id = NEW.memory_id AND NEW.expires_at IS NOT NULL
               AND (m.expires_at IS NULL OR m.expires_at > NEW.expires_at) LOOP
        PERFORM set_expiry(c.memory_id, NEW.expires_at);
        UPDATE injections SET expires_at = NEW.expires_at WHERE memory_id = c.memory_id AND ended_at IS NULL;
    END LOOP;
    PERFORM end_rights(NEW.tenant_id, NULL, NEW.memory_id);
    RETURN NULL;
END $$;
CREATE TRIGGER rights_end AFTER UPDATE OF audience_id, state, expires_at ON memories FOR EACH ROW
    WHEN ((OLD.audience_id, OLD.state, OLD.expires_at) IS DISTINCT FROM (NEW.audience_id, NEW.state, NEW.expires_at))
    EXECUTE FUNCTION rights_of_original_end();

-- The task ends then, or now: so do the copies that were given for it. How many went.
CREATE FUNCTION task_ends(task int, ends timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    i record;
BEGIN
    IF ends <= now() THEN
        RETURN end_injections(ARRAY(SELECT injection_id FROM injections WHERE task_no = task AND ended_at IS NULL), 'the task ended');
    END IF;
    FOR i IN SELECT x.injection_id, x.memory_id, least(ends, x.expires_at) AS until FROM injections x
             WHERE x.task_no = task AND x.ended_at IS NULL LOOP
        UPDATE injections SET expires_at = i.until WHERE injection_id = i.injection_id;
        PERFORM set_expiry(i.memory_id, i.until);
    END LOOP;
    RETURN 0;
END $$;

-- By its giver. False where it is not the caller's, or ended already.
CREATE FUNCTION withdraw_injection(injection uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM injections WHERE injection_id = injection AND giver_id = my_actor() AND tenant_id = my_tenant()) THEN
        RETURN false;
    END IF;
    IF end_injections(ARRAY[injection], 'withdrawn') = 0 THEN
        RETURN false;
    END IF;
    PERFORM note('memory.withdraw', injection::text, (SELECT target_id FROM injections WHERE injection_id = injection));
    RETURN true;
END $$;

-- An agent that left a task has no use for what was given for it.
CREATE FUNCTION task_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM end_injections(ARRAY(SELECT injection_id FROM injections
        WHERE task_no = OLD.task_no AND target_id = OLD.agent_id AND ended_at IS NULL), 'the target left the task');
    RETURN NULL;
END $$;
CREATE TRIGGER task_left AFTER DELETE ON task_agents FOR EACH ROW EXECUTE FUNCTION task_left();

-- P1: of what a gift is a copy, and whether that changed since, for those who may read it. The giver reads the original and
-- not the copy, the target the copy and seldom the original.
CREATE FUNCTION given_from(injection uuid, OUT original_id uuid, OUT changed boolean) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT i.original_id, c.version <> o.version
    FROM injections i JOIN memories o ON o.memory_id = i.original_id LEFT JOIN copies c ON c.memory_id = i.memory_id
    WHERE i.injection_id = injection AND i.tenant_id = my_tenant() AND my_principal() IN (i.giver_id, i.target_id)
      AND o.audience_id = ANY (my_audiences()) AND (o.expires_at IS NULL OR o.expires_at > now())
      AND (o.state <> 'held' OR o.author_id = my_principal())
$$;

-- What is left of tasks that ended long ago: audiences that nothing is in any more and nothing can get into, and the record of
-- what was given for them. What their agents wrote for themselves keeps its audience.
CREATE FUNCTION sweep_handover(keep interval, most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM injections WHERE injection_id IN (SELECT injection_id FROM injections WHERE ended_at < now() - keep LIMIT most);
    GET DIAGNOSTICS n = ROW_COUNT;
    DELETE FROM audiences WHERE audience_id IN (
        SELECT a.audience_id FROM tasks t JOIN audiences a ON a.tenant_id = t.tenant_id AND a.task_id = t.name || '#' || t.task_no
        WHERE t.closed_at < now() - interval '1 day'
          AND NOT EXISTS (SELECT FROM memories m WHERE m.audience_id = a.audience_id)
          AND NOT EXISTS (SELECT FROM versions v WHERE v.audience_id = a.audience_id)
          AND NOT EXISTS (SELECT FROM evidence e WHERE e.audience_id = a.audience_id)
        LIMIT most);
    RETURN n;
END $$;
CREATE INDEX audiences_task ON audiences (tenant_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX injections_ended ON injections (ended_at) WHERE ended_at IS NOT NULL;

CALL keep_functions(for_jobs => ARRAY['sweep_handover'], for_requests => ARRAY['give', 'withdraw_injection', 'given_from']);
