-- Sessions of the web console: a session is worth exactly the key it was opened with, and over when that is. The hash of a token
-- of 256 random bits; the token itself is nowhere. No role reads or writes them but through the functions below.
CREATE TABLE console_sessions (
    tenant_id     int NOT NULL REFERENCES tenants ON DELETE CASCADE,
    session_id    uuid PRIMARY KEY,
    token_hash    bytea NOT NULL UNIQUE,
    credential_id uuid NOT NULL REFERENCES credentials ON DELETE CASCADE,
    acting        text,
    eyes          text,
    project       text,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at  timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL
);
CREATE INDEX console_sessions_of ON console_sessions (credential_id, created_at);
CALL keep_table('console_sessions');

CREATE FUNCTION session_lives(s console_sessions) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT s.expires_at > now() AND s.last_seen_at > now() - interval '12 hours'
        AND EXISTS (SELECT FROM credentials c, authenticate(c.secret_hash) WHERE c.credential_id = s.credential_id)
$$;

-- As the key, by which the caller is somebody already. Two that sign in at once are counted one after the other.
CREATE FUNCTION open_session(session uuid, hash bytea) RETURNS TABLE (acting text, eyes text, project text, ends_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    k credentials%ROWTYPE;
    surplus uuid;
BEGIN
    SELECT * INTO k FROM credentials c WHERE c.credential_id = my_credential() AND c.tenant_id = my_tenant() FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO console_sessions (tenant_id, session_id, token_hash, credential_id, expires_at)
        VALUES (k.tenant_id, session, hash, k.credential_id, least(now() + interval '7 days', k.expires_at));
    PERFORM note('console.sign_in', session::text, my_actor());
    DELETE FROM console_sessions s WHERE s.credential_id = k.credential_id AND NOT session_lives(s);
    FOR surplus IN
        DELETE FROM console_sessions s WHERE s.session_id IN (
            SELECT o.session_id FROM console_sessions o WHERE o.credential_id = k.credential_id
            ORDER BY o.created_at DESC, o.session_id DESC OFFSET 50)
        RETURNING s.session_id LOOP
        PERFORM note('console.sign_out', surplus::text, my_actor(), '{"reason": "too_many"}');
    END LOOP;
    RETURN QUERY SELECT s.acting, s.eyes, s.project, s.expires_at FROM console_sessions s WHERE s.session_id = session;
END $$;

-- A token's hash → what `authenticate` says of its key today, and the session; or no row. Its use is noted once a minute.
CREATE FUNCTION find_session(hash bytea)
RETURNS TABLE (credential_id uuid, tenant_id int, tenant text, permissions text[], task_id text, expires_at timestamptz, acts_as jsonb,
               session_id uuid, acting text, eyes text, project text, ends_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT a.credential_id, a.tenant_id, a.tenant, a.permissions, a.task_id, a.expires_at, a.acts_as,
               s.session_id, s.acting, s.eyes, s.project, s.expires_at
        FROM console_sessions s JOIN credentials c ON c.credential_id = s.credential_id, authenticate(c.secret_hash) a
        WHERE s.token_hash = hash AND session_lives(s);
    IF FOUND THEN
        UPDATE console_sessions s SET last_seen_at = now() WHERE s.token_hash = hash AND s.last_seen_at < now() - interval '1 minute';
    END IF;
END $$;

-- Only what is `named` changes. What was chosen is checked again whenever it is used: a key may lose it.
CREATE FUNCTION choose_session(session uuid, named text[], acting_ text, eyes_ text, project_ text)
RETURNS TABLE (acting text, eyes text, project text, ends_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF acting_ IS NOT NULL AND NOT EXISTS (
            SELECT FROM credential_principals cp JOIN principals p USING (principal_id)
            WHERE cp.credential_id = my_credential() AND p.deleted_at IS NULL AND p.kind || ':' || p.name = acting_) THEN
        PERFORM refuse('not_your_agent');
    END IF;
    IF eyes_ IS NOT NULL AND NOT i_may('inspect') THEN
        PERFORM refuse('permission_missing');
    END IF;
    IF eyes_ IS NOT NULL AND NOT EXISTS (
            SELECT FROM principals p WHERE p.tenant_id = my_tenant() AND p.deleted_at IS NULL AND p.kind <> 'team'
              AND p.kind || ':' || p.name = eyes_) THEN
        PERFORM refuse('not_your_agent');
    END IF;
    RETURN QUERY
        UPDATE console_sessions s SET
            acting = CASE WHEN 'acting' = ANY (named) THEN acting_ ELSE s.acting END,
            eyes = CASE WHEN 'eyes' = ANY (named) THEN eyes_ ELSE s.eyes END,
            project = CASE WHEN 'project' = ANY (named) THEN project_ ELSE s.project END
        WHERE s.session_id = session AND s.credential_id = my_credential() AND s.tenant_id = my_tenant() AND session_lives(s)
        RETURNING s.acting, s.eyes, s.project, s.expires_at;
END $$;

CREATE FUNCTION close_session(session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    DELETE FROM console_sessions s WHERE s.session_id = session AND s.credential_id = my_credential() AND s.tenant_id = my_tenant();
    IF FOUND THEN
        PERFORM note('console.sign_out', session::text, my_actor());
    END IF;
END $$;

-- Those of the caller's tenant, out of these, that are live in this snapshot: whoever reads for many viewers asks for all at once.
CREATE FUNCTION living(keys uuid[], sessions uuid[]) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT c.credential_id FROM credentials c
        WHERE c.credential_id = ANY (keys) AND c.tenant_id = my_tenant() AND EXISTS (SELECT FROM authenticate(c.secret_hash))
    UNION ALL
    SELECT s.session_id FROM console_sessions s
        WHERE s.session_id = ANY (sessions) AND s.tenant_id = my_tenant() AND session_lives(s)
$$;

-- What is over is found by nobody; here it goes. What somebody else has in hand waits for the next time.
CREATE FUNCTION sweep_sessions() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM console_sessions WHERE session_id IN (
        SELECT s.session_id FROM console_sessions s WHERE NOT session_lives(s) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CALL keep_functions(
    for_requests => ARRAY['open_session', 'find_session', 'choose_session', 'close_session', 'living'],
    for_jobs => ARRAY['sweep_sessions']);
