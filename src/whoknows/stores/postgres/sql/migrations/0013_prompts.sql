-- Prompts in three layers, each save a version that stays (C1), and what each reader used last (R4).

-- The member whose prompts and account memory the principal has: itself, or the one that a main agent works for.
-- A need-to-know agent reads only what it owns, and so has none.
CREATE FUNCTION my_account() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT CASE WHEN p.kind = 'member' THEN p.principal_id WHEN p.clearance = 'open' THEN account_of(p.principal_id) END
    FROM principals p WHERE p.principal_id = my_principal()
$$;

-- The present text of a layer is its newest version; nothing is changed and nothing goes, but with its account.
-- `model` and `effort` belong to the conversation layer and are saved with it.
CREATE TABLE prompts (
    tenant_id  int NOT NULL REFERENCES tenants,
    prompt_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    layer      text NOT NULL CHECK (layer IN ('global', 'user', 'conversation')),
    account_id int REFERENCES principals,
    project_id text,
    version    int NOT NULL,
    content    text NOT NULL,
    model      text,
    effort     text CHECK (effort IN ('low', 'medium', 'high')),
    saved_by   int REFERENCES principals,
    saved_with uuid NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT now(),
    CHECK ((layer = 'global') = (account_id IS NULL)),
    CHECK ((layer = 'conversation') = (project_id IS NOT NULL)),
    CHECK (layer = 'conversation' OR (model IS NULL AND effort IS NULL))
);
CREATE UNIQUE INDEX prompts_versions ON prompts (tenant_id, layer, account_id, project_id, version) NULLS NOT DISTINCT;
CREATE INDEX prompts_account ON prompts (account_id) WHERE account_id IS NOT NULL;
CALL keep_table('prompts');
GRANT SELECT ON prompts TO whoknows_request;
CREATE POLICY mine ON prompts FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (layer = 'global' OR account_id = (SELECT my_account())));

-- Saves what is named of a layer, the rest stays as it was. Only who may write the layer gets here: `admin` for the global one,
-- the member and its main agents for theirs. NULL where `only_version` is not the newest any more; otherwise the newest version,
-- which is the same as before where nothing is new.
CREATE FUNCTION save_prompt(layer_ text, project text, named text[], content_ text, model_ text, effort_ text, only_version int)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    account int;
    was prompts%ROWTYPE;
    now_ prompts%ROWTYPE;
BEGIN
    IF layer_ = 'global' THEN
        PERFORM must_administer();
    ELSIF my_actor() IS NULL OR my_account() IS NULL THEN
        PERFORM refuse('no_account');
    ELSE
        account := my_account();
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(format('prompt %s %s %s %s', my_tenant(), layer_, account, project), 0));
    SELECT * INTO was FROM prompts p
        WHERE p.tenant_id = my_tenant() AND p.layer = layer_ AND p.account_id IS NOT DISTINCT FROM account
          AND p.project_id IS NOT DISTINCT FROM project
        ORDER BY p.version DESC LIMIT 1;
    IF only_version IS NOT NULL AND only_version <> coalesce(was.version, 0) THEN
        RETURN NULL;
    END IF;
    now_.content := CASE WHEN 'content' = ANY (named) THEN content_ ELSE coalesce(was.content, '') END;
    now_.model := CASE WHEN 'model' = ANY (named) THEN model_ ELSE was.model END;
    now_.effort := CASE WHEN 'effort' = ANY (named) THEN effort_ ELSE was.effort END;
    IF (now_.content, now_.model, now_.effort) IS NOT DISTINCT FROM (coalesce(was.content, ''), was.model, was.effort) THEN
        RETURN coalesce(was.version, 0);
    END IF;
    INSERT INTO prompts (tenant_id, layer, account_id, project_id, version, content, model, effort, saved_by, saved_with)
        VALUES (my_tenant(), layer_, account, project, coalesce(was.version, 0) + 1, now_.content, now_.model, now_.effort,
                my_actor(), my_credential());
    PERFORM note('prompt.save', layer_, account, jsonb_build_object('version', coalesce(was.version, 0) + 1));
    RETURN coalesce(was.version, 0) + 1;
END $$;

-- When a reader's contexts last held a memory; read only together with the memory, under its own policy. Of account memory the
-- reader is the account: the member and its main agents are one there, and nobody else sees it move.
CREATE TABLE memory_uses (
    tenant_id int NOT NULL REFERENCES tenants,
    reader_id int NOT NULL REFERENCES principals,
    memory_id uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    last_used timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (reader_id, memory_id)
);
CREATE INDEX memory_uses_recent ON memory_uses (reader_id, last_used DESC, memory_id DESC);
CREATE INDEX memory_uses_memory ON memory_uses (memory_id);
CALL keep_table('memory_uses');
GRANT SELECT ON memory_uses TO whoknows_request;
CREATE POLICY mine ON memory_uses FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND reader_id IN ((SELECT my_principal()), (SELECT my_account())));

-- In one order, and held against who deletes them at this very moment, so that nobody locks out another.
CREATE FUNCTION use_memories(ids uuid[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    me int := my_actor();
    account int := my_account();
    mine int[] := my_audiences();
    n int;
BEGIN
    IF me IS NULL THEN
        PERFORM refuse('may_not_write');
    END IF;
    INSERT INTO memory_uses AS u (tenant_id, reader_id, memory_id)
        SELECT m.tenant_id, CASE WHEN a.owner_id = account THEN account ELSE me END, m.memory_id
        FROM memories m JOIN audiences a USING (audience_id)
        WHERE m.memory_id = ANY (ids) AND m.tenant_id = my_tenant() AND m.audience_id = ANY (mine)
          AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > now())
        ORDER BY m.memory_no FOR KEY SHARE OF m
        ON CONFLICT (reader_id, memory_id) DO UPDATE SET last_used = greatest(u.last_used, excluded.last_used);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- A member that is gone, after its grace: its prompts too. Of the other departed there is nothing of the kind but their uses.
CREATE FUNCTION sweep_prompts(grace interval) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM memory_uses USING principals p WHERE p.principal_id = reader_id AND p.deleted_at < now() - grace;
    DELETE FROM prompts USING principals p WHERE p.principal_id = prompts.account_id AND p.deleted_at < now() - grace;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(for_requests => ARRAY['my_account', 'save_prompt', 'use_memories'], for_jobs => ARRAY['sweep_prompts']);
