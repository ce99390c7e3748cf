-- Who owns and who may call the functions: nobody by default, requests what they need, jobs what they need.

DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS name, p.prosecdef FROM pg_proc p
             WHERE p.pronamespace = 'whoknows'::regnamespace
               AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') LOOP
        IF f.prosecdef THEN
            EXECUTE format('ALTER FUNCTION %s OWNER TO whoknows_definer', f.name);
        END IF;
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO whoknows_definer', f.name);
    END LOOP;
    FOR f IN SELECT p.oid::regprocedure AS name FROM pg_proc p
             WHERE p.pronamespace = 'whoknows'::regnamespace AND p.proname IN (
        'my_credential', 'claimed_principal', 'claimed_task', 'my_tenant', 'my_permissions', 'i_may', 'my_actor', 'my_principal',
        'my_task', 'account_of', 'everyone', 'team_role', 'my_audiences', 'my_reviews', 'i_may_write',
        'i_may_write_audience', 'i_may_change', 'refuse', 'intern_audience', 'next_ordinal', 'index_memory', 'hold', 'supersede', 'forget',
        'set_state', 'share', 'authenticate', 'create_tenant', 'must_administer', 'make_principal', 'change_agent', 'change_member',
        'change_team', 'remove_principal', 'put_membership', 'drop_membership', 'make_credential', 'revoke_credential',
        'note_inspection', 'event_place') LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO whoknows_request', f.name);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION sweep(int), sweep_departed(interval, int), complete_embedding(uuid, int, halfvec[]), requeue_embeddings() TO whoknows_jobs;
