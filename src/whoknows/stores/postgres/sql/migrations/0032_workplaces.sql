-- Workplaces: the directories in which programs work for a project, registered by their owner and routed by nothing else; and how
-- far each project is connected.

-- Whose workplaces the caller has: its account's, else its own. A sub-agent has none, and neither has work on a task.
CREATE FUNCTION my_workplace_owner() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT CASE
        WHEN p.kind = 'member' THEN p.principal_id
        WHEN p.role = 'main' AND p.clearance = 'open' THEN coalesce(account_of(p.principal_id), p.principal_id)
        WHEN p.role = 'main' THEN p.principal_id END
    FROM principals p
    WHERE p.principal_id = my_principal() AND my_task() IS NULL
      AND NOT EXISTS (SELECT FROM credentials c WHERE c.credential_id = my_credential() AND c.task_id IS NOT NULL)
$$;

CREATE FUNCTION must_keep_workplaces() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    owner int := my_workplace_owner();
BEGIN
    IF my_actor() IS NULL OR owner IS NULL THEN
        PERFORM refuse('no_workplaces');
    END IF;
    RETURN owner;
END $$;

-- `place` is a hash of machine and directory, as the store makes it: a path may be longer than an index takes.
CREATE TABLE workplaces (
    tenant_id     int NOT NULL REFERENCES tenants,
    owner_id      int NOT NULL REFERENCES principals,
    place         bytea NOT NULL CHECK (octet_length(place) = 32),
    program       text NOT NULL CHECK (program IN ('claude-code', 'codex', 'pi')),
    machine       text NOT NULL,
    directory     text NOT NULL,
    project_id    text NOT NULL,
    registered_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, place, program)
);
CALL keep_table('workplaces');
GRANT SELECT ON workplaces TO whoknows_request;
CREATE POLICY mine ON workplaces FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND owner_id = (SELECT my_workplace_owner()));

-- The newest change of a project is its stage; where there is none, it is off.
CREATE TABLE stage_changes (
    tenant_id  int NOT NULL REFERENCES tenants,
    change_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id   int NOT NULL REFERENCES principals,
    project_id text NOT NULL,
    stage      text NOT NULL CHECK (stage IN ('off', 'read-only', 'governed', 'team')),
    before     text NOT NULL CHECK (before IN ('off', 'read-only', 'governed', 'team')),
    changed_by int NOT NULL REFERENCES principals,
    reason     text,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (stage <> before)
);
CREATE INDEX stage_changes_of ON stage_changes (owner_id, project_id, change_no DESC);
CALL keep_table('stage_changes');
GRANT SELECT ON stage_changes TO whoknows_request;
CREATE POLICY mine ON stage_changes FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND owner_id = (SELECT my_workplace_owner()));

-- One at a time for an owner: `most` holds however many come at once. False where there are so many already.
CREATE FUNCTION register_workplace(place_ bytea, program_ text, machine_ text, directory_ text, project text, most int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    owner int := must_keep_workplaces();
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('workplaces %s', owner), 0));
    IF EXISTS (SELECT FROM workplaces w WHERE w.owner_id = owner AND w.place = place_ AND w.program = program_
               AND w.directory = directory_ AND w.project_id = project) THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT FROM workplaces w WHERE w.owner_id = owner AND w.place = place_ AND w.program = program_)
       AND (SELECT count(*) FROM workplaces w WHERE w.owner_id = owner) >= most THEN
        RETURN false;
    END IF;
    INSERT INTO workplaces AS w (tenant_id, owner_id, place, program, machine, directory, project_id)
        VALUES (my_tenant(), owner, place_, program_, machine_, directory_, project)
        ON CONFLICT (owner_id, place, program)
            DO UPDATE SET directory = excluded.directory, project_id = excluded.project_id, registered_at = now();
    PERFORM note('workplace.register', project, owner, jsonb_build_object('program', program_));
    RETURN true;
END $$;

-- False where there is none.
CREATE FUNCTION unregister_workplace(place_ bytea, program_ text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    owner int := must_keep_workplaces();
    was text;
BEGIN
    DELETE FROM workplaces w WHERE w.owner_id = owner AND w.place = place_ AND w.program = program_ AND w.tenant_id = my_tenant()
        RETURNING w.project_id INTO was;
    IF was IS NULL THEN
        RETURN false;
    END IF;
    PERFORM note('workplace.unregister', was, owner, jsonb_build_object('program', program_));
    RETURN true;
END $$;

CREATE FUNCTION stage_step(stage text) RETURNS int LANGUAGE sql IMMUTABLE SET search_path = whoknows, public, pg_temp AS
    $$ SELECT array_position(ARRAY['off', 'read-only', 'governed', 'team'], stage) $$;

-- Forward by one step, backward by any; to `team` where the project goes to one that the caller reads. False where the stage is
-- not `before_` any more: somebody else was quicker.
CREATE FUNCTION set_stage(project text, before_ text, wanted text, reason_ text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    owner int := must_keep_workplaces();
    present text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('stage %s %s', owner, project), 0));
    present := coalesce((SELECT c.stage FROM stage_changes c WHERE c.owner_id = owner AND c.project_id = project
                         ORDER BY c.change_no DESC LIMIT 1), 'off');
    IF present <> before_ THEN
        RETURN false;
    ELSIF present = wanted THEN
        RETURN true;
    END IF;
    IF stage_step(wanted) > stage_step(present) + 1
       OR (wanted = 'team' AND NOT EXISTS (
           SELECT FROM project_banks b JOIN principals t ON t.principal_id = b.team_id AND t.deleted_at IS NULL
           WHERE b.tenant_id = my_tenant() AND b.project_id = project AND i_read_team(b.team_id))) THEN
        PERFORM refuse('stage_unreachable');
    END IF;
    INSERT INTO stage_changes (tenant_id, owner_id, project_id, stage, before, changed_by, reason)
        VALUES (my_tenant(), owner, project, wanted, present, my_actor(), reason_);
    PERFORM note('stage.set', project, owner, jsonb_build_object('before', present, 'stage', wanted));
    RETURN true;
END $$;

-- Of agents and members that were deleted so long ago.
CREATE FUNCTION sweep_workplaces(grace interval) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM stage_changes c USING principals p WHERE p.principal_id = c.owner_id AND p.deleted_at < now() - grace;
    DELETE FROM workplaces w USING principals p WHERE p.principal_id = w.owner_id AND p.deleted_at < now() - grace;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(
    for_requests => ARRAY['my_workplace_owner', 'register_workplace', 'unregister_workplace', 'set_stage'],
    for_jobs => ARRAY['sweep_workplaces']);
