-- What the caller gave of its memories and is still with somebody: `original_id` is not granted to requests (0011), and the giver
-- may be told of its own gifts as far as it reads the originals (P1).
CREATE FUNCTION given_of(originals uuid[]) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
    SELECT i.injection_id FROM injections i JOIN memories o ON o.memory_id = i.original_id
    WHERE i.original_id = ANY (originals) AND i.tenant_id = my_tenant() AND i.giver_id = my_principal()
      AND i.ended_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
      AND o.audience_id = ANY (my_audiences()) AND (o.expires_at IS NULL OR o.expires_at > now())
      AND (o.state <> 'held' OR o.author_id = my_principal())
$$;

CALL keep_functions(for_requests => ARRAY['given_of']);
