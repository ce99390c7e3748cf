-- What `gone` had overturned: current again, or handed to the successor of `gone` if it has one. As before, but that copies have
-- no part in W7: an equal copy takes nobody's place, and a copy needs no other's.
CREATE OR REPLACE FUNCTION revive(gone uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    p record;
    heir uuid;
BEGIN
    FOR p IN SELECT m.*, g.superseded_by AS next FROM memories m JOIN memories g ON g.memory_id = m.superseded_by
             WHERE m.superseded_by = ANY (gone) AND NOT m.memory_id = ANY (gone) LOOP
        heir := p.next;
        WHILE heir = ANY (gone) LOOP
            SELECT superseded_by INTO heir FROM memories WHERE memory_id = heir;
        END LOOP;
        IF heir IS NULL AND p.origin IS NULL THEN  -- an equal text may have been written meanwhile: that one is current then
            SELECT memory_id INTO heir FROM memories d
                WHERE d.state = 'active' AND d.audience_id = p.audience_id AND d.dedupe_key = p.dedupe_key
                  AND d.dedupe_author IS NOT DISTINCT FROM p.dedupe_author AND d.project_id IS NOT DISTINCT FROM p.project_id
                  AND d.session_id IS NOT DISTINCT FROM p.session_id AND d.expires_at IS NOT DISTINCT FROM p.expires_at
                  AND d.origin IS NULL AND d.injected_by_id IS NULL
                  AND NOT d.memory_id = ANY (gone) AND d.memory_id <> p.memory_id;
        END IF;
        IF heir IS NULL THEN
            UPDATE memories SET state = 'active', superseded_by = NULL, superseded_at = NULL, updated_at = now()
                WHERE memory_id = p.memory_id;
            PERFORM set_live(ARRAY[p.memory_no], true);
        ELSE
            UPDATE memories SET superseded_by = heir WHERE memory_id = p.memory_id;
            UPDATE memories SET supersedes = p.memory_id WHERE memory_id = heir AND supersedes = ANY (gone);
        END IF;
    END LOOP;
    UPDATE memories SET supersedes = NULL WHERE supersedes = ANY (gone) AND NOT memory_id = ANY (gone);
END $$;
