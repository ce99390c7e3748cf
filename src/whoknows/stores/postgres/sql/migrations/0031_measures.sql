-- What the installation tells of itself. How it is built: to administrators. How large it is, and what waits in the background: to
-- who runs it, by a key that founds tenants and acts as nobody; a key that acts as somebody reads, and what a reader gets does not
-- depend on rows that it cannot see (R4). Work that waits is told as an order of magnitude.

CREATE FUNCTION must_run_installation() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF my_tenant() IS NULL OR NOT i_may('create_tenants') OR claimed_principal() IS NOT NULL
       OR EXISTS (SELECT FROM credential_principals cp WHERE cp.credential_id = my_credential()) THEN
        PERFORM refuse('permission_missing');
    END IF;
END $$;

CREATE FUNCTION installation_built()
RETURNS TABLE (schema text, server text, pgvector text, embedder text, dimensions int, founded_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM must_administer();
    RETURN QUERY
        SELECT (SELECT max(m.name) FROM migrations m), current_setting('server_version'),
            (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'vector'), i.embedder, i.dimensions, i.created_at
        FROM installation i;
END $$;

-- NULL where the server lets nobody but its owners ask.
CREATE FUNCTION database_size() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_run_installation();
    IF has_database_privilege(current_database(), 'CONNECT') THEN
        RETURN pg_database_size(current_database());
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION table_sizes(most int) RETURNS TABLE (name text, size bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_run_installation();
    RETURN QUERY
        SELECT c.relname::text, pg_total_relation_size(c.oid) FROM pg_class c
        WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r' ORDER BY 2 DESC, 1 LIMIT most;
END $$;

-- 1 for none, 10 for one to nine, 100 for ten to ninety-nine, and so on.
CREATE FUNCTION magnitude(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE SET search_path = whoknows, public, pg_temp AS
    $$ SELECT CASE WHEN n = 0 THEN 1 ELSE (10 ^ length(n::text))::bigint END $$;

CREATE FUNCTION backlogs() RETURNS TABLE (work text, waiting bigint, failed bigint, oldest timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM must_run_installation();
    RETURN QUERY
        SELECT 'embedding', magnitude(count(*)), magnitude(count(*) FILTER (WHERE q.attempts > 0)), min(q.since)
            FROM pending_embeddings q WHERE q.fault IS DISTINCT FROM 'egress_forbidden'
        UNION ALL
        SELECT 'kept_back', magnitude(count(*)), 1, min(q.since) FROM pending_embeddings q WHERE q.fault = 'egress_forbidden'
        UNION ALL
        SELECT 'distillation', magnitude(count(*)), magnitude(count(*) FILTER (WHERE d.attempts > 0)), min(d.due_at)
            FROM pending_distillations d WHERE d.due_at < now()
        UNION ALL
        SELECT 'publication', magnitude(count(*)), magnitude(count(*) FILTER (WHERE k.attempts > 0)), min(p.created_at)
            FROM publication_cleanups k JOIN publications p USING (publication_id);
END $$;

CALL keep_functions(for_requests => ARRAY['installation_built', 'database_size', 'table_sizes', 'backlogs']);
