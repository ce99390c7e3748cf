-- Who is asking. The session says only a credential, the principal it acts as and the task it claims;
-- everything else is derived from the tables, here, and nothing of it is taken from the query.
-- A pooled connection reads an old setting as '', hence nullif.

CREATE FUNCTION my_credential() RETURNS uuid LANGUAGE sql STABLE AS
    $$ SELECT nullif(current_setting('whoknows.credential', true), '')::uuid $$;

CREATE FUNCTION claimed_principal() RETURNS int LANGUAGE sql STABLE AS
    $$ SELECT nullif(current_setting('whoknows.principal', true), '')::int $$;

CREATE FUNCTION claimed_task() RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT nullif(current_setting('whoknows.task', true), '') $$;

-- The tenant of a live credential; NULL otherwise, and NULL equals nothing.
CREATE FUNCTION my_tenant() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT tenant_id FROM credentials
    WHERE credential_id = my_credential() AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
$$;

CREATE FUNCTION my_permissions() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT permissions FROM credentials
        WHERE credential_id = my_credential() AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    ), '{}')
$$;

CREATE FUNCTION i_may(permission text) RETURNS boolean LANGUAGE sql STABLE AS
    $$ SELECT permission = ANY (my_permissions()) $$;

-- The principal that acts: one that the credential names.
CREATE FUNCTION my_actor() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT p.principal_id
    FROM credential_principals cp JOIN principals p USING (principal_id)
    WHERE cp.credential_id = my_credential() AND cp.principal_id = claimed_principal()
      AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL
$$;

-- The principal whose eyes are used: the actor, or with `inspect` anyone of the tenant.
CREATE FUNCTION my_principal() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(my_actor(), (
        SELECT p.principal_id FROM principals p
        WHERE p.principal_id = claimed_principal() AND p.tenant_id = my_tenant() AND p.deleted_at IS NULL
          AND p.kind <> 'team' AND i_may('inspect')))
$$;

-- A task counts only from the credential.
CREATE FUNCTION my_task() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT task_id FROM credentials WHERE credential_id = my_credential() AND task_id = claimed_task()
$$;

-- The three that follow may be called by requests, since policies do: of another tenant they say nothing.

-- The member whose account memory I share: for a main agent that works for one.
CREATE FUNCTION account_of(who int) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT m.principal_id
    FROM principals a JOIN principals m ON m.principal_id = a.account_id AND m.deleted_at IS NULL
    WHERE a.principal_id = who AND a.tenant_id = my_tenant() AND a.kind = 'agent' AND a.role = 'main'
$$;

CREATE FUNCTION everyone(tenant int) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS
    $$ SELECT principal_id FROM principals WHERE tenant_id = tenant AND tenant = my_tenant() AND kind = 'team' AND name = '*' $$;

CREATE FUNCTION team_role(who int, team int) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(
        (SELECT m.role FROM memberships m JOIN principals t ON t.principal_id = m.team_id AND t.deleted_at IS NULL
         WHERE m.principal_id = who AND m.team_id = team AND m.tenant_id = my_tenant()),
        (SELECT 'reader' FROM principals p
         WHERE p.principal_id = who AND p.deleted_at IS NULL AND team = everyone(p.tenant_id)))
$$;

-- R1, derived from the tables: the audiences of the principal whose eyes are used, with the task that the credential has.
-- It runs for every statement of a request, and so says in two queries what my_principal(), my_task() and account_of() say.
CREATE FUNCTION my_audiences() RETURNS int[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    who int;
    tenant int;
    clear text;
    task text;
    selves int[];
    teams int[];
    owned int[];
BEGIN
    SELECT p.principal_id, p.tenant_id, p.clearance, CASE WHEN c.task_id = claimed_task() THEN c.task_id END,
            array_remove(ARRAY[p.principal_id, a.principal_id], NULL)
        INTO who, tenant, clear, task, selves
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

-- Where I may review what is held: a member, in its teams with the right to write, and in its account memory.
CREATE FUNCTION my_reviews() RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce(array_agg(a.audience_id), '{}')
    FROM audiences a
    WHERE a.audience_id = ANY (my_audiences())
      AND EXISTS (SELECT FROM principals p WHERE p.principal_id = my_principal() AND p.kind = 'member')
      AND ((a.layer = 'team' AND team_role(my_principal(), a.owner_id) IN ('writer', 'owner')) OR a.owner_id = my_principal())
$$;

-- W1 and W2: whether the actor may write into an audience.
CREATE FUNCTION i_may_write(layer text, owner int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT CASE layer
        WHEN 'private' THEN owner = my_actor() OR owner = account_of(my_actor())
        WHEN 'team' THEN coalesce(team_role(my_actor(), owner) IN ('writer', 'owner'), false)
        ELSE false END
$$;

CREATE FUNCTION i_may_write_audience(audience int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT i_may_write(a.layer, a.owner_id) AND a.audience_id = ANY (my_audiences())
        FROM audiences a WHERE a.audience_id = audience AND a.tenant_id = my_tenant()), false)
$$;

-- W3: whether the actor may edit, archive, restore or delete a memory that it can see.
CREATE FUNCTION i_may_change(audience int, author int, memory uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((
        SELECT my_actor() IS NOT NULL AND CASE
            WHEN a.layer = 'injected' THEN false
            WHEN a.layer = 'team' THEN
                team_role(my_actor(), a.owner_id) = 'owner'
                OR (team_role(my_actor(), a.owner_id) IS NOT NULL AND (
                    author = my_actor()
                    OR EXISTS (SELECT FROM memory_authors ma WHERE ma.memory_id = memory AND ma.author_id = my_actor())))
            WHEN o.kind = 'member' THEN a.owner_id = my_actor() OR a.owner_id = account_of(my_actor())
            ELSE author = my_actor() END
        FROM audiences a JOIN principals o ON o.principal_id = a.owner_id
        WHERE a.audience_id = audience AND a.tenant_id = my_tenant() AND a.audience_id = ANY (my_audiences())), false)
$$;
