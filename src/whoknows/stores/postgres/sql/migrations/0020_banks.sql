-- Banks: which team the facts of a project go to (C11), and corrections: what had to be put right, counted over weeks (C28).

-- A bank that one may not read is one that one does not know of: its routings too.
CREATE FUNCTION i_read_team(team int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT team_role(p.principal_id, team) IS NOT NULL AND p.clearance = 'open' FROM principals p WHERE p.principal_id = my_principal()
$$;

CREATE TABLE project_banks (
    tenant_id  int NOT NULL REFERENCES tenants,
    project_id text NOT NULL,
    team_id    int NOT NULL REFERENCES principals,
    routed_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, project_id)
);
CALL keep_table('project_banks');
GRANT SELECT ON project_banks TO whoknows_request;
CREATE POLICY known ON project_banks FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND ((SELECT i_may('admin')) OR i_read_team(team_id)));

-- In their normal form, each of one project.
CREATE TABLE project_remotes (
    tenant_id  int NOT NULL REFERENCES tenants,
    remote     text NOT NULL,
    project_id text NOT NULL,
    PRIMARY KEY (tenant_id, remote)
);
CREATE INDEX project_remotes_of ON project_remotes (tenant_id, project_id);
CALL keep_table('project_remotes');
GRANT SELECT ON project_remotes TO whoknows_request;
CREATE POLICY known ON project_remotes FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND ((SELECT i_may('admin'))
        OR EXISTS (SELECT FROM project_banks b
                   WHERE b.tenant_id = project_remotes.tenant_id AND b.project_id = project_remotes.project_id)));

-- Says anew where a project goes, and which remotes are its own. A remote of another project is a unique violation.
CREATE FUNCTION route_project(project text, team int, remotes text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_administer();
    IF team IS NOT NULL AND NOT EXISTS (SELECT FROM principals p WHERE p.principal_id = team AND p.tenant_id = my_tenant()
                                        AND p.kind = 'team' AND p.deleted_at IS NULL) THEN
        PERFORM refuse('unknown_reader');
    END IF;
    -- One at a time in a tenant: two that exchange their remotes do not wait for each other in a circle.
    PERFORM pg_advisory_xact_lock(hashtextextended(format('routing %s', my_tenant()), 0));
    DELETE FROM project_remotes r WHERE r.tenant_id = my_tenant() AND r.project_id = project;
    DELETE FROM project_banks b WHERE b.tenant_id = my_tenant() AND b.project_id = project;
    IF team IS NOT NULL THEN
        INSERT INTO project_banks (tenant_id, project_id, team_id) VALUES (my_tenant(), project, team);
    END IF;
    INSERT INTO project_remotes (tenant_id, remote, project_id) SELECT DISTINCT my_tenant(), r, project FROM unnest(remotes) r;
    PERFORM note('project.route', project, NULL, jsonb_build_object('team', name_of(team), 'git_remotes', cardinality(remotes)));
END $$;

-- What had to be put right, when, and in which program. `text` is NULL once a memory is gone that it was about, or that has its
-- words: then only the count remains (W9). `embedding` is for telling that two of them are about one thing.
CREATE TABLE corrections (
    tenant_id     int NOT NULL REFERENCES tenants,
    correction_id uuid PRIMARY KEY,
    audience_id   int NOT NULL REFERENCES audiences,
    author_id     int NOT NULL REFERENCES principals,
    text          text,
    embedding     halfvec({dimensions}),
    subject       text,
    project_id    text,
    harness       text,
    about         uuid,
    memory_id     uuid,
    at            timestamptz NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT now(),
    CHECK (text IS NOT NULL OR embedding IS NULL)
);
CREATE INDEX corrections_audience ON corrections (audience_id, at);
CREATE INDEX corrections_about ON corrections (about) WHERE about IS NOT NULL;
CREATE INDEX corrections_memory ON corrections (memory_id) WHERE memory_id IS NOT NULL;
CALL keep_table('corrections');
GRANT SELECT ON corrections TO whoknows_request;
CREATE POLICY visible ON corrections FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[]));

CREATE FUNCTION record_correction(correction uuid, audience int, text_ text, embedding_ halfvec, subject_ text, project text,
                                  harness_ text, about_ uuid, memory uuid, at_ timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF my_actor() IS NULL OR NOT i_may_write_audience(audience) THEN
        PERFORM refuse('may_not_write');
    END IF;
    -- Held until the commit: one that is deleted at this very moment is gone before, or takes the text of this one along.
    PERFORM FROM memories m WHERE m.memory_id IN (about_, memory) AND m.tenant_id = my_tenant()
        AND m.audience_id = ANY (my_audiences()) ORDER BY m.memory_no FOR KEY SHARE;
    IF (SELECT count(*) FROM unnest(ARRAY[about_, memory]) n WHERE n IS NOT NULL) <>
       (SELECT count(*) FROM unnest(ARRAY[about_, memory]) n JOIN memories m ON m.memory_id = n
        WHERE m.tenant_id = my_tenant() AND m.audience_id = ANY (my_audiences())) THEN
        PERFORM refuse('unknown_memory');
    END IF;
    INSERT INTO corrections (tenant_id, correction_id, audience_id, author_id, text, embedding, subject, project_id, harness, about,
                             memory_id, at)
        VALUES (my_tenant(), correction, audience, my_actor(), text_, embedding_, subject_, project, harness_, about_, memory, at_);
    PERFORM note('correction.record', correction::text);
END $$;

-- By its author, the account's, or an owner of the team. False where it is not there to be seen.
CREATE FUNCTION forget_correction(correction uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    c corrections%ROWTYPE;
BEGIN
    SELECT * INTO c FROM corrections x WHERE x.correction_id = correction AND x.tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR NOT c.audience_id = ANY (my_audiences()) THEN
        RETURN false;
    END IF;
    IF my_actor() IS NULL OR NOT (c.author_id = my_actor() OR EXISTS (SELECT FROM audiences a WHERE a.audience_id = c.audience_id AND (
            (a.layer = 'private' AND a.owner_id IN (my_actor(), account_of(my_actor())))
            OR (a.layer = 'team' AND team_role(my_actor(), a.owner_id) = 'owner')))) THEN
        PERFORM refuse('may_not_change');
    END IF;
    DELETE FROM corrections x WHERE x.correction_id = correction;
    PERFORM note('correction.delete', correction::text);
    RETURN true;
END $$;

-- W9: what a memory said is nowhere any more, and so neither in a correction that has its words, or that puts it right.
CREATE FUNCTION corrections_of_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE corrections c SET text = NULL, embedding = NULL FROM gone g WHERE c.about = g.memory_id AND c.text IS NOT NULL;
    UPDATE corrections c SET text = NULL, embedding = NULL, memory_id = NULL FROM gone g WHERE c.memory_id = g.memory_id;
    RETURN NULL;
END $$;
CREATE TRIGGER corrections_end AFTER DELETE ON memories REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION corrections_of_gone();

-- Of agents, members and teams that were deleted so long ago.
CREATE FUNCTION sweep_corrections(grace interval) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM corrections c USING audiences a JOIN principals p ON p.principal_id = a.owner_id
        WHERE a.audience_id = c.audience_id AND p.deleted_at < now() - grace;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(
    for_requests => ARRAY['i_read_team', 'route_project', 'record_correction', 'forget_correction'],
    for_jobs => ARRAY['sweep_corrections']);
