-- Tenants, agents, members, teams and keys: what administrators do, each checked and audited here.

-- A key's hash → the live credential, or no row. The one thing that may be asked without being anybody.
CREATE FUNCTION authenticate(hash bytea)
RETURNS TABLE (credential_id uuid, tenant_id int, tenant text, permissions text[], task_id text, expires_at timestamptz, acts_as jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT c.credential_id, c.tenant_id, t.name, c.permissions, c.task_id, c.expires_at, coalesce((
        SELECT jsonb_agg(jsonb_build_array(p.principal_id, p.kind, p.name) ORDER BY p.kind, p.name)
        FROM credential_principals cp JOIN principals p USING (principal_id)
        WHERE cp.credential_id = c.credential_id AND p.deleted_at IS NULL), '[]')
    FROM credentials c JOIN tenants t USING (tenant_id)
    WHERE c.secret_hash = hash AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > now())
      AND (NOT EXISTS (SELECT FROM credential_principals cp WHERE cp.credential_id = c.credential_id)
           OR EXISTS (SELECT FROM credential_principals cp JOIN principals p USING (principal_id)
                      WHERE cp.credential_id = c.credential_id AND p.deleted_at IS NULL))
$$;

CREATE FUNCTION found_tenant(tenant_name text, credential uuid, hash bytea, permissions_ text[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    t int;
BEGIN
    INSERT INTO tenants (name) VALUES (tenant_name) RETURNING tenant_id INTO t;
    INSERT INTO principals (tenant_id, kind, name) VALUES (t, 'team', '*');
    INSERT INTO credentials (tenant_id, credential_id, secret_hash, permissions) VALUES (t, credential, hash, permissions_);
    INSERT INTO audit (tenant_id, action, target) VALUES (t, 'tenant.create', tenant_name);
    RETURN t;
END $$;

CREATE FUNCTION create_tenant(tenant_name text, credential uuid, hash bytea) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT i_may('create_tenants') THEN
        PERFORM refuse('permission_missing');
    END IF;
    -- The maker's own permissions, but never the one to found further tenants.
    RETURN found_tenant(tenant_name, credential, hash, array_remove(my_permissions(), 'create_tenants'));
END $$;

CREATE FUNCTION name_of(principal int) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT name FROM principals WHERE principal_id = principal AND tenant_id = my_tenant() $$;

CREATE FUNCTION must_administer() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT i_may('admin') OR my_tenant() IS NULL THEN
        PERFORM refuse('permission_missing');
    END IF;
END $$;

-- Setting whose account memory an agent shares opens that memory: by `impersonate`, or by the member's own key.
CREATE FUNCTION must_speak_for(member int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT (i_may('impersonate') OR EXISTS (SELECT FROM credential_principals cp
            WHERE cp.credential_id = my_credential() AND cp.principal_id = member)) THEN
        PERFORM refuse('impersonate_required');
    END IF;
    IF i_may('impersonate') THEN
        PERFORM note('impersonate.account', name_of(member), member);
    END IF;
END $$;

-- Whom an agent is made to belong to must be of this tenant.
CREATE FUNCTION must_be_ours(parent int, account int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM (VALUES (parent, 'agent'), (account, 'member')) v(id, kind) WHERE v.id IS NOT NULL AND NOT EXISTS (
            SELECT FROM principals p WHERE p.principal_id = v.id AND p.tenant_id = my_tenant() AND p.kind = v.kind)) THEN
        PERFORM refuse('unknown_reader');
    END IF;
END $$;

CREATE FUNCTION make_principal(kind_ text, name_ text, display text, role_ text, clearance_ text, parent int, account int,
                               gate_ text, shares boolean) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    made int;
BEGIN
    PERFORM must_administer();
    PERFORM must_be_ours(parent, account);
    IF account IS NOT NULL THEN
        PERFORM must_speak_for(account);
    END IF;
    INSERT INTO principals (tenant_id, kind, name, display_name, role, clearance, parent_id, account_id, gate, share_with_subagents)
        VALUES (my_tenant(), kind_, name_, display, role_, clearance_, parent, account, gate_, shares)
        RETURNING principal_id INTO made;
    PERFORM note(kind_ || '.create', name_, made);
    RETURN made;
END $$;

CREATE FUNCTION change_agent(agent int, role_ text, clearance_ text, parent int, account int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p principals%ROWTYPE;
BEGIN
    PERFORM must_administer();
    SELECT * INTO STRICT p FROM principals
        WHERE principal_id = agent AND tenant_id = my_tenant() AND kind = 'agent' AND deleted_at IS NULL FOR UPDATE;
    PERFORM must_be_ours(parent, account);
    IF account IS DISTINCT FROM p.account_id AND account IS NOT NULL THEN
        PERFORM must_speak_for(account);
    END IF;
    IF p.account_id IS NOT NULL AND (account IS DISTINCT FROM p.account_id OR role_ <> p.role) THEN
        PERFORM must_speak_for(p.account_id);
    END IF;
    UPDATE principals SET role = role_, clearance = clearance_, parent_id = parent, account_id = account WHERE principal_id = agent;
    PERFORM note('agent.change', p.name, agent, jsonb_build_object('role', role_, 'clearance', clearance_));
END $$;

CREATE FUNCTION change_member(member int, display text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_administer();
    UPDATE principals SET display_name = display WHERE principal_id = member AND tenant_id = my_tenant() AND kind = 'member';
    PERFORM note('member.change', name_of(member), member);
END $$;

CREATE FUNCTION change_team(team int, display text, gate_ text, shares boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_administer();
    UPDATE principals SET display_name = display, gate = gate_, share_with_subagents = shares
        WHERE principal_id = team AND tenant_id = my_tenant() AND kind = 'team' AND deleted_at IS NULL;
    PERFORM note('team.change', name_of(team), NULL, jsonb_build_object('gate', gate_, 'share_with_subagents', shares));
END $$;

-- The name stays taken. Keys that act as nobody else die with it; memberships and the standing end at once.
CREATE FUNCTION remove_principal(who int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p principals%ROWTYPE;
BEGIN
    PERFORM must_administer();
    SELECT * INTO STRICT p FROM principals
        WHERE principal_id = who AND tenant_id = my_tenant() AND deleted_at IS NULL AND name <> '*' FOR UPDATE;
    UPDATE principals SET deleted_at = now() WHERE principal_id = who;
    DELETE FROM memberships WHERE principal_id = who OR team_id = who;
    UPDATE credentials c SET revoked_at = now() WHERE revoked_at IS NULL
        AND EXISTS (SELECT FROM credential_principals cp WHERE cp.credential_id = c.credential_id AND cp.principal_id = who)
        AND NOT EXISTS (SELECT FROM credential_principals cp JOIN principals q USING (principal_id)
                        WHERE cp.credential_id = c.credential_id AND q.deleted_at IS NULL);
    PERFORM note(p.kind || '.delete', p.name, who);
    PERFORM pg_notify('whoknows_events', p.tenant_id::text);
END $$;

CREATE FUNCTION put_membership(team int, who int, role_ text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_administer();
    IF NOT EXISTS (SELECT FROM principals WHERE principal_id = team AND tenant_id = my_tenant() AND kind = 'team' AND deleted_at IS NULL)
       OR NOT EXISTS (SELECT FROM principals WHERE principal_id = who AND tenant_id = my_tenant() AND kind <> 'team' AND deleted_at IS NULL) THEN
        PERFORM refuse('unknown_reader');
    END IF;
    INSERT INTO memberships (tenant_id, team_id, principal_id, role) VALUES (my_tenant(), team, who, role_)
        ON CONFLICT (team_id, principal_id) DO UPDATE SET role = excluded.role;
    PERFORM note('team.member', name_of(team), who, jsonb_build_object('role', role_));
END $$;

CREATE FUNCTION drop_membership(team int, who int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_administer();
    DELETE FROM memberships WHERE team_id = team AND principal_id = who AND tenant_id = my_tenant();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM note('team.expel', name_of(team), who);
    PERFORM pg_notify('whoknows_events', my_tenant()::text);
    RETURN true;
END $$;

-- No key carries what its maker lacks, outlives it, or leaves its task. `admin` makes the first key ever made for a
-- principal; later ones need `impersonate`, or a key that acts as the principal already.
CREATE FUNCTION make_credential(credential uuid, hash bytea, acting int[], permissions_ text[], task text, expires timestamptz)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    maker credentials%ROWTYPE;
    who int;
BEGIN
    SELECT * INTO maker FROM credentials WHERE credential_id = my_credential() AND tenant_id = my_tenant();
    IF NOT FOUND OR NOT permissions_ <@ maker.permissions THEN
        PERFORM refuse('permission_missing');
    END IF;
    -- A task opens what is bound to it: one that the maker does not have is given by an administrator alone.
    IF task IS DISTINCT FROM maker.task_id AND (maker.task_id IS NOT NULL OR NOT i_may('admin')) THEN
        PERFORM refuse('not_your_task');
    END IF;
    IF cardinality(acting) = 0 AND NOT i_may('admin') THEN
        PERFORM refuse('permission_missing');
    END IF;
    FOR who IN SELECT p.principal_id FROM principals p WHERE p.principal_id = ANY (acting) AND p.tenant_id = my_tenant() ORDER BY 1 FOR UPDATE LOOP
        IF EXISTS (SELECT FROM credential_principals WHERE credential_id = maker.credential_id AND principal_id = who) THEN
            CONTINUE;
        END IF;
        IF i_may('admin') AND NOT EXISTS (SELECT FROM credential_principals WHERE principal_id = who) THEN
            CONTINUE;
        END IF;
        IF NOT i_may('impersonate') THEN
            PERFORM refuse(CASE WHEN i_may('admin') THEN 'impersonate_required' ELSE 'permission_missing' END);
        END IF;
        PERFORM note('impersonate.key', credential::text, who);
    END LOOP;
    IF EXISTS (SELECT FROM unnest(acting) a(id) LEFT JOIN principals p ON p.principal_id = a.id AND p.tenant_id = my_tenant()
                   AND p.kind <> 'team' AND p.deleted_at IS NULL WHERE p.principal_id IS NULL) THEN
        PERFORM refuse('unknown_reader');
    END IF;
    INSERT INTO credentials (tenant_id, credential_id, secret_hash, permissions, task_id, expires_at, made_by)
        VALUES (my_tenant(), credential, hash, permissions_, task, least(expires, maker.expires_at), maker.credential_id);
    INSERT INTO credential_principals (tenant_id, credential_id, principal_id)
        SELECT my_tenant(), credential, a FROM unnest(acting) a;
    PERFORM note('key.create', credential::text, NULL, jsonb_build_object('permissions', permissions_, 'task_id', task));
END $$;

-- Revoked by an administrator, by its maker, or by itself. False where there is no such key, or not for this caller.
CREATE FUNCTION revoke_credential(credential uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE credentials SET revoked_at = now()
        WHERE credential_id = credential AND tenant_id = my_tenant() AND revoked_at IS NULL
          AND (i_may('admin') OR made_by = my_credential() OR credential_id = my_credential());
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO audit (tenant_id, credential_id, principal_id, action, target)
        SELECT tenant_id, my_credential(), claimed_principal(), 'key.revoke', credential::text
        FROM credentials WHERE credential_id = credential;
    PERFORM pg_notify('whoknows_events', tenant_id::text) FROM credentials WHERE credential_id = credential;
    RETURN true;
END $$;

-- The use of `inspect`, in the trail where the one who was looked at can see it.
CREATE FUNCTION note_inspection(route text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF my_actor() IS NULL AND my_principal() IS NOT NULL THEN
        PERFORM note('inspect', route, my_principal());
    END IF;
END $$;
