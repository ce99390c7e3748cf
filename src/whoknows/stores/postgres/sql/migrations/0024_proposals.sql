-- Proposals that somebody decided about; those that wait are looked for when somebody asks, among what it may read. Ids alone, and
-- the words of who turned one down. `repository_id` is a source. `writing`: confirmed, and not known to be written.
CREATE TABLE proposals (
    tenant_id     int NOT NULL REFERENCES tenants,
    proposal_id   uuid NOT NULL,
    state         text NOT NULL CHECK (state IN ('writing', 'confirmed', 'rejected')),
    sources       uuid[] NOT NULL,
    decided_by    int NOT NULL REFERENCES principals,
    decided_at    timestamptz NOT NULL DEFAULT date_trunc('second', now()),
    reason        text,
    repository_id uuid,
    path          text,
    branch        text,
    commit_hash   text,
    PRIMARY KEY (tenant_id, proposal_id),
    CHECK ((state = 'confirmed') = (commit_hash IS NOT NULL)),
    CHECK ((state = 'rejected') = (repository_id IS NULL))
);
CREATE INDEX proposals_reasons ON proposals USING gin (sources) WHERE reason IS NOT NULL;
CALL keep_table('proposals');
GRANT SELECT (tenant_id, proposal_id, state, sources, decided_by, decided_at, reason) ON proposals TO whoknows_request;
-- For those who may read all that it is about, and for who decided.
CREATE POLICY visible ON proposals FOR SELECT TO whoknows_request
    USING (tenant_id = (SELECT my_tenant()) AND (decided_by = (SELECT my_principal()) OR NOT EXISTS (
        SELECT FROM unnest(sources) s(id) WHERE NOT EXISTS (SELECT FROM memories m WHERE m.memory_id = s.id))));

-- In which repository a rule stands, and where, is for those who may read that.
CREATE FUNCTION written_to(proposal uuid) RETURNS TABLE (repository text, path text, branch text, commit_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT s.name, d.path, d.branch, d.commit_hash FROM proposals d JOIN sources s ON s.source_id = d.repository_id
    WHERE d.proposal_id = proposal AND d.tenant_id = my_tenant() AND s.audience_id = ANY (my_audiences())
$$;

-- A member decides about current memories that it may read; it writes to a repository that is its own to write to, and turns down
-- where it may write to all of them.
CREATE FUNCTION i_may_decide(ids uuid[], writes boolean) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM principals p WHERE p.principal_id = my_actor() AND p.kind = 'member')
        AND cardinality(ids) >= 2 AND cardinality(ids) = (
            SELECT count(*) FROM memories m WHERE m.memory_id = ANY (ids) AND m.tenant_id = my_tenant() AND m.state = 'active'
              AND m.audience_id = ANY (my_audiences()) AND (NOT writes OR i_may_write_audience(m.audience_id)))
$$;

CREATE FUNCTION reserve_proposal(proposal uuid, ids uuid[], repository uuid, path_ text, branch_ text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT i_may_decide(ids, false) OR NOT i_may_source((SELECT owner_id FROM sources s WHERE s.source_id = repository
                                                         AND s.tenant_id = my_tenant() AND s.kind = 'git')) THEN
        PERFORM refuse('may_not_source');
    END IF;
    -- The rule has their words: those of others go to nobody who may not read them.
    IF EXISTS (SELECT FROM memories m JOIN sources s ON s.source_id = repository
               WHERE m.memory_id = ANY (ids) AND m.author_id <> my_actor() AND NOT audience_covers(m.audience_id, s.audience_id)) THEN
        PERFORM refuse('may_not_write');
    END IF;
    INSERT INTO proposals (tenant_id, proposal_id, state, sources, decided_by, repository_id, path, branch)
        VALUES (my_tenant(), proposal, 'writing', ids, my_actor(), repository, path_, branch_) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM note('proposal.confirm', proposal::text, NULL, jsonb_build_object('sources', to_jsonb(ids), 'branch', branch_));
    END IF;
END $$;

CREATE FUNCTION reject_proposal(proposal uuid, ids uuid[], why text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT i_may_decide(ids, true) THEN
        PERFORM refuse('may_not_write');
    END IF;
    INSERT INTO proposals (tenant_id, proposal_id, state, sources, decided_by, reason)
        VALUES (my_tenant(), proposal, 'rejected', ids, my_actor(), why) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM note('proposal.reject', proposal::text, NULL, jsonb_build_object('sources', to_jsonb(ids)));
    END IF;
END $$;

-- How the writing ended: the commit that is there, or none, and then it waits again.
CREATE FUNCTION settle_proposal(proposal uuid, hash text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    d proposals%ROWTYPE;
BEGIN
    SELECT * INTO d FROM proposals p WHERE p.proposal_id = proposal AND p.tenant_id = my_tenant() FOR UPDATE;
    IF NOT FOUND OR d.state <> 'writing' THEN
        RETURN;
    END IF;
    IF NOT coalesce(i_may_source((SELECT owner_id FROM sources s WHERE s.source_id = d.repository_id)), false) THEN
        PERFORM refuse('may_not_source');
    END IF;
    IF hash IS NULL THEN
        DELETE FROM proposals p WHERE p.proposal_id = proposal AND p.tenant_id = my_tenant();
    ELSE
        UPDATE proposals p SET state = 'confirmed', commit_hash = hash WHERE p.proposal_id = proposal AND p.tenant_id = my_tenant();
        PERFORM note('proposal.write', proposal::text, NULL, jsonb_build_object('commit', hash, 'branch', d.branch));
    END IF;
END $$;

-- W9: why something was turned down may repeat what it said.
CREATE FUNCTION proposals_of_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    UPDATE proposals p SET reason = NULL FROM gone g WHERE p.reason IS NOT NULL AND p.sources @> ARRAY[g.memory_id];
    RETURN NULL;
END $$;
CREATE TRIGGER proposals_end AFTER DELETE ON memories REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION proposals_of_gone();

CALL keep_functions(for_requests => ARRAY['written_to', 'reserve_proposal', 'reject_proposal', 'settle_proposal']);
