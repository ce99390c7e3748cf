-- The look of a principal: one of 64 numbers, from which its colour and its shape are made. The next one in its tenant when it
-- comes into being (agents and members are counted together, teams by themselves), and the same for ever: a deleted name keeps its
-- row, and so its number.
ALTER TABLE principals ADD look smallint;
DO $$
BEGIN
    SET LOCAL ROLE whoknows_definer;
    UPDATE whoknows.principals p SET look = n.look FROM (
        SELECT q.principal_id, (row_number() OVER (PARTITION BY q.tenant_id, q.kind = 'team' ORDER BY q.created_at, q.principal_id) - 1) % 64 AS look
        FROM whoknows.principals q) n
        WHERE n.principal_id = p.principal_id;
    RESET ROLE;
END $$;
ALTER TABLE principals ALTER look SET NOT NULL, ADD CHECK (look BETWEEN 0 AND 63);

-- One after the other in a tenant, so that two who are made at once do not count alike.
CREATE FUNCTION give_look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7466211, NEW.tenant_id);
    NEW.look := (SELECT count(*) % 64 FROM principals p WHERE p.tenant_id = NEW.tenant_id
                 AND (p.kind = 'team') = (NEW.kind = 'team'));
    RETURN NEW;
END $$;
CREATE TRIGGER looks BEFORE INSERT ON principals FOR EACH ROW EXECUTE FUNCTION give_look();

CALL keep_functions();
