-- Tasks (rules I6): a main agent opens one for its descendants, who get tokens for it; closing it ends them.
-- A task is its name and its number: two main agents may use the same name, and learn nothing of each other by it.
-- Tasks that only a key names are number 0, so that what is bound to them is bound to no opened task.

CREATE TABLE tasks (
    tenant_id  int NOT NULL REFERENCES tenants,
    task_no    int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL,
    opened_by  int NOT NULL REFERENCES principals,
    opened_at  timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    closed_at  timestamptz,
    UNIQUE (opened_by, name)
);
CREATE INDEX tasks_expiry ON tasks (expires_at) WHERE closed_at IS NULL;
CALL keep_table('tasks');
CREATE TABLE task_agents (
    tenant_id int NOT NULL REFERENCES tenants,
    task_no   int NOT NULL REFERENCES tasks ON DELETE CASCADE,
    agent_id  int NOT NULL REFERENCES principals,
    PRIMARY KEY (task_no, agent_id)
);
CREATE INDEX task_agents_of ON task_agents (agent_id);
CALL keep_table('task_agents');
GRANT USAGE ON ALL SEQUENCES IN SCHEMA whoknows TO whoknows_definer;

ALTER TABLE credentials ADD task_no int REFERENCES tasks;
CREATE INDEX credentials_task ON credentials (task_no) WHERE task_no IS NOT NULL;
GRANT SELECT (task_no) ON credentials TO whoknows_request;
GRANT SELECT ON tasks, task_agents TO whoknows_request;
-- The task that a token is for. It shows its agent nothing of other tasks.
CREATE FUNCTION my_task_no() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT task_no FROM credentials WHERE credential_id = my_credential() AND tenant_id = my_tenant() $$;

CREATE FUNCTION i_opened(task int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT EXISTS (SELECT FROM tasks t WHERE t.task_no = task AND t.opened_by = my_principal() AND t.tenant_id = my_tenant()) $$;

CREATE POLICY mine ON tasks FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND task_no = coalesce((SELECT my_task_no()), task_no) AND (opened_by = (SELECT my_principal())
        OR EXISTS (SELECT FROM task_agents t WHERE t.task_no = tasks.task_no AND t.agent_id = (SELECT my_principal()))));
CREATE POLICY mine ON task_agents FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (agent_id = (SELECT my_principal()) OR i_opened(task_no)));

-- What was bound before tasks were opened is bound to what a key named.
DO $$
BEGIN
    SET LOCAL ROLE whoknows_definer;
    UPDATE whoknows.audiences SET task_id = task_id || '#0' WHERE task_id IS NOT NULL;
    UPDATE whoknows.audience_grants SET task_id = task_id || '#0' WHERE task_id IS NOT NULL;
    RESET ROLE;
END $$;

CREATE FUNCTION task_is_open(task int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM tasks t JOIN principals p ON p.principal_id = t.opened_by AND p.deleted_at IS NULL
                   WHERE t.task_no = task AND t.closed_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()))
$$;

-- A task counts from the credential, or where the principal was put on it, while it is open. Its opener stays on it: what was
-- written for it there outlives it (I6).
CREATE OR REPLACE FUNCTION my_task() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    own text;
    no int;
BEGIN
    IF claimed_task() IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT c.task_id, c.task_no INTO own, no FROM credentials c WHERE c.credential_id = my_credential();
    IF own IS NOT NULL THEN
        RETURN CASE WHEN own = claimed_task() AND (no IS NULL OR task_is_open(no)) THEN own || '#' || coalesce(no, 0) END;
    END IF;
    RETURN (SELECT t.name || '#' || t.task_no FROM tasks t
        WHERE t.name = claimed_task() AND t.tenant_id = my_tenant()
          AND (t.opened_by = my_principal() OR (task_is_open(t.task_no) AND EXISTS (
              SELECT FROM task_agents a WHERE a.task_no = t.task_no AND a.agent_id = my_principal())))
        ORDER BY t.task_no DESC LIMIT 1);
END $$;

-- As in 0003, but for the task.
CREATE OR REPLACE FUNCTION my_audiences() RETURNS int[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    who int;
    tenant int;
    clear text;
    task text := CASE WHEN claimed_task() IS NOT NULL THEN my_task() END;
    selves int[];
    teams int[];
    owned int[];
BEGIN
    SELECT p.principal_id, p.tenant_id, p.clearance, array_remove(ARRAY[p.principal_id, a.principal_id], NULL)
        INTO who, tenant, clear, selves
        FROM credentials c
        JOIN principals p ON p.principal_id = claimed_principal() AND p.tenant_id = c.tenant_id
            AND p.deleted_at IS NULL AND p.kind <> 'team'
        LEFT JOIN principals a ON a.principal_id = p.account_id AND a.deleted_at IS NULL AND p.kind = 'agent' AND p.role = 'main'
        WHERE c.credential_id = my_credential() AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > now())
          AND ('inspect' = ANY (c.permissions) OR EXISTS (
              SELECT FROM credential_principals cp WHERE cp.credential_id = c.credential_id AND cp.principal_id = p.principal_id));
    IF who IS NULL THEN
        RETURN '{}';
    END IF;
    SELECT coalesce(array_agg(t.id), '{}'), coalesce(array_agg(t.id) FILTER (WHERE t.role = 'owner'), '{}') INTO teams, owned
        FROM (SELECT m.team_id AS id, m.role FROM memberships m
              JOIN principals p ON p.principal_id = m.team_id AND p.deleted_at IS NULL WHERE m.principal_id = who
              UNION ALL
              SELECT p.principal_id, 'reader' FROM principals p
              WHERE p.tenant_id = tenant AND p.kind = 'team' AND p.name = '*') t;
    RETURN ARRAY(
        SELECT DISTINCT g.audience_id FROM audience_grants g
        WHERE g.to_id = ANY (selves || teams)
          AND CASE g.kind
                  WHEN 'self' THEN g.to_id = ANY (selves)
                  WHEN 'team' THEN g.to_id = ANY (teams)
                  WHEN 'while_on_team' THEN g.to_id = who AND g.team_id = ANY (teams)
                  WHEN 'team_owners' THEN g.team_id = ANY (owned)
              END
          AND (g.task_id IS NULL OR g.task_id = task)
          AND (g.session_id IS NULL OR g.owner_id = who)
          AND (clear = 'open' OR g.owner_id = who));
END $$;

-- I1: whether `who` stands below `above`; nobody stands below itself. Parents form a tree; a loop of them ends the search.
CREATE FUNCTION descends(who int, above int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    WITH RECURSIVE up AS (
        SELECT p.parent_id FROM principals p WHERE p.principal_id = who AND p.deleted_at IS NULL AND p.kind = 'agent'
        UNION
        SELECT p.parent_id FROM up JOIN principals p ON p.principal_id = up.parent_id AND p.deleted_at IS NULL)
    SELECT who <> above AND EXISTS (SELECT FROM up WHERE parent_id = above)
$$;

-- Who stands above `who`, nearest first.
CREATE FUNCTION line_above(who int) RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    WITH RECURSIVE up AS (
        SELECT p.parent_id, 1 AS n FROM principals p WHERE p.principal_id = who
        UNION
        SELECT p.parent_id, up.n + 1 FROM up JOIN principals p ON p.principal_id = up.parent_id WHERE up.n < 1000)
    SELECT coalesce(array_agg(parent_id ORDER BY n), '{}') FROM up WHERE parent_id IS NOT NULL
$$;

-- The token of each agent is a key for it alone, for this task, with an end; an earlier token for the same task ends with it.
-- Answers the number of the task.
CREATE FUNCTION open_task(task text, agents int[], keys uuid[], hashes bytea[], ends timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t tasks%ROWTYPE;
    maker credentials%ROWTYPE;
    agent int;
    above int[];
    i int;
BEGIN
    -- Held until the commit: whatever ends the right, or the key, either waits and finds the tokens, or came before.
    SELECT * INTO maker FROM credentials WHERE credential_id = my_credential() AND tenant_id = my_tenant() FOR SHARE;
    LOOP
        above := ARRAY(SELECT DISTINCT u FROM unnest(agents) a, unnest(line_above(a)) u ORDER BY u);
        PERFORM FROM principals WHERE principal_id = ANY (agents || above || my_actor()) ORDER BY principal_id FOR SHARE;
        EXIT WHEN above = ARRAY(SELECT DISTINCT u FROM unnest(agents) a, unnest(line_above(a)) u ORDER BY u);
    END LOOP;
    IF my_actor() IS NULL OR NOT EXISTS (SELECT FROM principals WHERE principal_id = my_actor() AND role = 'main') THEN
        PERFORM refuse('not_a_main_agent');
    END IF;
    IF maker.task_id IS NOT NULL THEN
        PERFORM refuse('not_your_task');
    END IF;
    FOREACH agent IN ARRAY agents LOOP
        IF NOT descends(agent, my_actor()) THEN
            PERFORM refuse('not_a_descendant');
        END IF;
    END LOOP;
    INSERT INTO tasks (tenant_id, name, opened_by, expires_at) VALUES (my_tenant(), task, my_actor(), ends)
        ON CONFLICT (opened_by, name) DO UPDATE SET name = excluded.name RETURNING * INTO t;
    IF NOT task_is_open(t.task_no) THEN
        PERFORM refuse('task_closed');
    END IF;
    IF t.expires_at IS DISTINCT FROM ends THEN  -- opened again: the new end counts, for all on it
        UPDATE tasks SET expires_at = ends WHERE task_no = t.task_no;
        UPDATE credentials c SET expires_at = least(ends, (SELECT m.expires_at FROM credentials m WHERE m.credential_id = c.made_by))
            WHERE c.task_no = t.task_no AND c.revoked_at IS NULL;  -- never longer than the key that made it
        PERFORM task_ends(t.task_no, ends);
    END IF;
    FOR i IN 1 .. coalesce(cardinality(agents), 0) LOOP
        UPDATE credentials c SET revoked_at = now() WHERE c.task_no = t.task_no AND c.revoked_at IS NULL AND EXISTS (
            SELECT FROM credential_principals cp WHERE cp.credential_id = c.credential_id AND cp.principal_id = agents[i]);
        INSERT INTO task_agents (tenant_id, task_no, agent_id) VALUES (my_tenant(), t.task_no, agents[i]) ON CONFLICT DO NOTHING;
        INSERT INTO credentials (tenant_id, credential_id, secret_hash, permissions, task_id, task_no, expires_at, made_by)
            VALUES (my_tenant(), keys[i], hashes[i], '{}', task, t.task_no, least(ends, maker.expires_at), maker.credential_id);
        INSERT INTO credential_principals (tenant_id, credential_id, principal_id) VALUES (my_tenant(), keys[i], agents[i]);
        PERFORM note('task.token', keys[i]::text, agents[i], jsonb_build_object('task_id', task));
    END LOOP;
    PERFORM note('task.open', task);  -- by its name: the number counts what others open
    RETURN t.task_no;
END $$;

-- By the one who opened it. How many tokens died and how many copies went; NULL where it is closed already.
CREATE FUNCTION close_task(task int, OUT tokens int, OUT copies int) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF my_actor() IS NULL OR NOT EXISTS (SELECT FROM tasks t WHERE t.task_no = task AND t.opened_by = my_actor())
       OR EXISTS (SELECT FROM credentials c WHERE c.credential_id = my_credential() AND c.task_id IS NOT NULL) THEN
        PERFORM refuse('not_your_task');
    END IF;
    UPDATE tasks SET closed_at = now() WHERE task_no = task AND closed_at IS NULL;
    IF FOUND THEN
        SELECT e.tokens, e.copies INTO tokens, copies FROM end_task(task) e;
        PERFORM note('task.close', (SELECT t.name FROM tasks t WHERE t.task_no = task));
    END IF;
END $$;

-- What is bound to the task ends with it: `task_ends` comes with the injections.
CREATE FUNCTION end_task(task int, OUT tokens int, OUT copies int) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE credentials SET revoked_at = now() WHERE task_no = task AND revoked_at IS NULL;
    GET DIAGNOSTICS tokens = ROW_COUNT;
    copies := task_ends(task, now());
    PERFORM pg_notify('whoknows_events', t.tenant_id::text) FROM tasks t WHERE t.task_no = task;
END $$;

-- A task whose time is over is closed as if by hand: its tokens and copies have ended by the clock already.
CREATE FUNCTION sweep_tasks() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    over int;
    n int := 0;
BEGIN
    FOR over IN UPDATE tasks SET closed_at = expires_at WHERE closed_at IS NULL AND expires_at <= now() RETURNING task_no LOOP
        PERFORM end_task(over);
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- Tokens end with the key that made them: whoever loses the key loses its reach.
CREATE FUNCTION tokens_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE credentials SET revoked_at = now() WHERE made_by = NEW.credential_id AND task_no IS NOT NULL AND revoked_at IS NULL;
    RETURN NULL;
END $$;
CREATE INDEX credentials_made_by ON credentials (made_by) WHERE task_no IS NOT NULL;
CREATE TRIGGER tokens_end AFTER UPDATE OF revoked_at ON credentials FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tokens_end();

-- An opener who is gone, or is no main agent any more, has no tasks; an agent that moved elsewhere is on none of its former.
CREATE FUNCTION tasks_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    left_ record;
    over int;
BEGIN
    FOR over IN UPDATE tasks t SET closed_at = now() WHERE t.opened_by = NEW.principal_id AND t.closed_at IS NULL
                AND (NEW.deleted_at IS NOT NULL OR NEW.role IS DISTINCT FROM 'main') RETURNING t.task_no LOOP
        PERFORM end_task(over);
    END LOOP;
    FOR left_ IN DELETE FROM task_agents a USING tasks t WHERE t.task_no = a.task_no AND t.tenant_id = NEW.tenant_id
                 AND t.closed_at IS NULL AND NOT descends(a.agent_id, t.opened_by) RETURNING a.task_no, a.agent_id LOOP
        UPDATE credentials c SET revoked_at = now() WHERE c.task_no = left_.task_no AND c.revoked_at IS NULL AND EXISTS (
            SELECT FROM credential_principals cp WHERE cp.credential_id = c.credential_id AND cp.principal_id = left_.agent_id);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER tasks_follow AFTER UPDATE OF deleted_at, parent_id, role ON principals FOR EACH ROW
    WHEN (NEW.kind = 'agent' AND (OLD.deleted_at, OLD.parent_id, OLD.role) IS DISTINCT FROM (NEW.deleted_at, NEW.parent_id, NEW.role))
    EXECUTE FUNCTION tasks_follow();

-- A token of a task makes no keys: they would outlive it.
CREATE FUNCTION token_makes_no_keys() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NEW.task_no IS NULL AND EXISTS (SELECT FROM credentials m WHERE m.credential_id = NEW.made_by AND m.task_no IS NOT NULL) THEN
        PERFORM refuse('not_your_task');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER token_makes_no_keys BEFORE INSERT ON credentials FOR EACH ROW EXECUTE FUNCTION token_makes_no_keys();

CALL keep_functions(for_requests => ARRAY['my_task_no', 'i_opened', 'open_task', 'close_task'], for_jobs => ARRAY['sweep_tasks']);
