-- The second lock. Every table with tenant data is forced under row-level security; what no policy allows does not exist.
-- whoknows_request serves requests, whoknows_jobs the background work, whoknows_definer owns the functions that
-- check a rule again and then do what a plain statement cannot (a new row must pass the SELECT policy to be returned).

GRANT USAGE ON SCHEMA whoknows TO whoknows_request, whoknows_jobs, whoknows_definer;
GRANT CREATE ON SCHEMA whoknows TO whoknows_definer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA whoknows TO whoknows_definer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA whoknows TO whoknows_definer, whoknows_request, whoknows_jobs;

DO $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r'
             AND c.relname NOT IN ('installation', 'embedder_cache', 'migrations') LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY definer ON %I TO whoknows_definer USING (true) WITH CHECK (true)', t);
    END LOOP;
END $$;

GRANT SELECT ON installation TO whoknows_request, whoknows_jobs;
GRANT SELECT, INSERT ON embedder_cache TO whoknows_jobs;

-- Names of one's own tenant are known within it.
GRANT SELECT ON tenants, principals, memberships, audiences, audience_grants TO whoknows_request;
CREATE POLICY mine ON tenants FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));
CREATE POLICY mine ON principals FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));
CREATE POLICY mine ON memberships FOR SELECT TO whoknows_request USING (tenant_id = (SELECT my_tenant()));
CREATE POLICY mine ON audiences FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[]));
-- Grants of audiences that are not the reader's own matter to nobody but the derivation of the standing,
-- which is about the reader itself: its own ways in, and the ways in of what it sees (for `why`).
CREATE POLICY mine ON audience_grants FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (
        to_id = (SELECT my_principal()) OR to_id = (SELECT account_of(my_principal()))
        OR audience_id = ANY ((SELECT my_audiences())::int[])  -- the dearer test behind the cheap ones
        OR (SELECT team_role(my_principal(), to_id)) IS NOT NULL));

-- Keys: one's own credential, and for administrators those of the tenant; the hash is never granted.
GRANT SELECT (tenant_id, credential_id, permissions, task_id, expires_at, revoked_at, created_at, made_by) ON credentials TO whoknows_request;
GRANT SELECT ON credential_principals TO whoknows_request;
CREATE POLICY mine ON credentials FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (credential_id = (SELECT my_credential()) OR made_by = (SELECT my_credential()) OR (SELECT i_may('admin'))));
CREATE POLICY mine ON credential_principals FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (credential_id = (SELECT my_credential()) OR (SELECT i_may('admin'))
        OR credential_id IN (SELECT c.credential_id FROM credentials c WHERE c.made_by = (SELECT my_credential()))));

-- Memories: R1 for reading, W1 and W2 for writing, W3 for text fields; deleting and moving are functions.
GRANT SELECT, INSERT ON memories TO whoknows_request;
GRANT UPDATE (content, title, category, subject, tags, reason, version, content_hash, dedupe_key, updated_at, expires_at, wide,
        embedded)
    ON memories TO whoknows_request;
CREATE POLICY visible ON memories FOR SELECT TO whoknows_request USING (
    tenant_id = (SELECT my_tenant())
    AND audience_id = ANY ((SELECT my_audiences())::int[])
    AND (expires_at IS NULL OR expires_at > now())
    AND (state <> 'held' OR author_id = (SELECT my_principal()) OR audience_id = ANY ((SELECT my_reviews())::int[])));
CREATE POLICY written ON memories FOR INSERT TO whoknows_request WITH CHECK (
    tenant_id = (SELECT my_tenant()) AND author_id = (SELECT my_actor()) AND i_may_write_audience(audience_id)
    AND injected_by_id IS NULL AND origin IS NULL AND version = 1
    AND state IN ('active', 'held') AND superseded_by IS NULL);
CREATE POLICY edited ON memories FOR UPDATE TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND i_may_change(audience_id, author_id, memory_id))
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND i_may_change(audience_id, author_id, memory_id));

-- Side tables follow the memory: readable where it is (held and expired as well as by audience), each row by its own
-- audience besides: that of its source, or the one that the version had.
GRANT SELECT, INSERT ON memory_authors, evidence, versions TO whoknows_request;
CREATE POLICY visible ON memory_authors FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = memory_authors.memory_id));
CREATE POLICY visible ON evidence FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = evidence.memory_id));
CREATE POLICY visible ON versions FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = versions.memory_id));
CREATE POLICY written ON memory_authors FOR INSERT TO whoknows_request
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND author_id = (SELECT my_actor()) AND i_may_write_audience(audience_id)
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = memory_authors.memory_id AND m.audience_id = memory_authors.audience_id));
CREATE POLICY written ON evidence FOR INSERT TO whoknows_request
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND added_by = (SELECT my_actor()) AND i_may_write_audience(audience_id)
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = evidence.memory_id AND m.audience_id = evidence.audience_id));
CREATE POLICY written ON versions FOR INSERT TO whoknows_request
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND changed_by = (SELECT my_actor())
        AND EXISTS (SELECT FROM memories m WHERE m.memory_id = versions.memory_id AND m.audience_id = versions.audience_id
                    AND i_may_change(m.audience_id, m.author_id, m.memory_id)));

-- What is live is active, and so nobody's secret within its audience; the rest may be held.
GRANT SELECT ON documents, postings, passages, tombstones, pending_embeddings TO whoknows_request;
CREATE POLICY visible ON documents FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[]) AND (expires_at IS NULL OR expires_at > now())
        AND (live OR EXISTS (SELECT FROM memories m WHERE m.memory_no = documents.memory_no)));
CREATE POLICY visible ON postings FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[]) AND (expires_at IS NULL OR expires_at > now()));
CREATE POLICY visible ON passages FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[]) AND (expires_at IS NULL OR expires_at > now())
        AND (live OR EXISTS (SELECT FROM memories m WHERE m.memory_no = passages.memory_no)));
CREATE POLICY mine ON pending_embeddings FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND author_id = (SELECT my_principal()));
-- Tombstones tell that something was: nobody's business but the jobs'.
CREATE POLICY nobody ON tombstones FOR SELECT TO whoknows_request USING (false);

-- Traces are their asker's; events follow the audience; the audit trail is for `audit`, and for whom it concerns.
GRANT SELECT, INSERT ON traces TO whoknows_request;
CREATE POLICY mine ON traces FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_principal())
        AND (NOT inspected OR credential_id = (SELECT my_credential())));
CREATE POLICY written ON traces FOR INSERT TO whoknows_request
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_principal())
        AND credential_id = (SELECT my_credential()) AND inspected = ((SELECT my_actor()) IS NULL));
GRANT SELECT ON events, audit TO whoknows_request;
CREATE POLICY visible ON events FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND audience_id = ANY ((SELECT my_audiences())::int[])
        AND (NOT held OR author_id = (SELECT my_principal()) OR audience_id = ANY ((SELECT my_reviews())::int[])));
CREATE POLICY told ON audit FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND ((SELECT i_may('audit')) OR concerns = (SELECT my_actor())));
GRANT SELECT, INSERT, UPDATE (answer) ON idempotency TO whoknows_request;
CREATE POLICY mine ON idempotency TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_actor()))
    WITH CHECK (tenant_id = (SELECT my_tenant()) AND principal_id = (SELECT my_actor()));

-- Background work, table by table.
GRANT SELECT ON memories, tombstones, principals, audiences, documents TO whoknows_jobs;
GRANT SELECT, UPDATE ON pending_embeddings TO whoknows_jobs;
GRANT SELECT, DELETE ON traces, events, idempotency TO whoknows_jobs;
GRANT UPDATE (xid) ON events TO whoknows_jobs;
CREATE POLICY jobs ON memories FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON tombstones FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON principals FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON audiences FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON documents FOR SELECT TO whoknows_jobs USING (true);
CREATE POLICY jobs ON pending_embeddings TO whoknows_jobs USING (true) WITH CHECK (true);
CREATE POLICY jobs ON traces TO whoknows_jobs USING (true);
CREATE POLICY jobs ON events TO whoknows_jobs USING (true);
CREATE POLICY jobs ON idempotency TO whoknows_jobs USING (true);
