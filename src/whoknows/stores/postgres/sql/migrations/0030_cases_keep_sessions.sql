-- A case that begins again keeps its keys, and so who is signed in with them: the operator at the table, the screens of the hall.
-- Once it is closed their keys are dead, and the sessions with them.
CREATE OR REPLACE FUNCTION empty_case(tenant int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    name text;
    left_over text[];
BEGIN
    PERFORM drop_embeddings(tenant);
    PERFORM erase(ARRAY(SELECT memory_id FROM memories WHERE tenant_id = tenant), my_actor());
    FOR round IN 1 .. 10 LOOP
        left_over := '{}';
        FOR name IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
                 WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN (
                     'tenants', 'principals', 'memberships', 'credentials', 'credential_principals', 'cases', 'audiences',
                     'audience_grants', 'tombstones', 'audit', 'console_sessions') LOOP
            BEGIN
                EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', name) USING tenant;
            EXCEPTION WHEN foreign_key_violation THEN
                left_over := left_over || name;
            END;
        END LOOP;
        EXIT WHEN left_over = '{}';
    END LOOP;
    IF left_over <> '{}' THEN
        RAISE EXCEPTION 'what refers to % is kept, and so nothing is emptied', left_over;
    END IF;
END $$;
CALL keep_functions();
