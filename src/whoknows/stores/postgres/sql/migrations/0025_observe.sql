-- Observations by request: W1 and W2, as for what one writes oneself.
CREATE FUNCTION observe(new_id uuid, audience int, own boolean, sources uuid[], hashes text[], stated_ uuid, words jsonb, cited jsonb,
                        terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean, state_ text, made_ text,
                        gathered_ text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    done text;
BEGIN
    IF my_actor() IS NULL OR NOT i_may_write_audience(audience) THEN
        PERFORM refuse('may_not_write');
    END IF;
    done := put_observation(new_id, audience, CASE WHEN own THEN my_actor() END, sources, hashes, stated_, words, cited, terms_, frequencies_,
                            length_, vectors, pending, state_, made_, gathered_);
    IF done = 'made' THEN
        PERFORM note('observation.make', new_id::text, NULL, jsonb_build_object('sources', to_jsonb(sources)));
    END IF;
    RETURN done;
END $$;
CREATE FUNCTION i_may_recompute(observation uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = whoknows, public, pg_temp AS $$
    SELECT coalesce((SELECT my_actor() IS NOT NULL AND i_may_write_audience(m.audience_id) FROM memories m JOIN observations d USING (memory_id)
                     WHERE m.memory_id = observation AND m.tenant_id = my_tenant()), false)
$$;
CREATE FUNCTION recompute(observation uuid, version_ int, sources uuid[], hashes text[], stated_ uuid, words jsonb, cited jsonb,
                          terms_ bigint[], frequencies_ int[], length_ int, vectors halfvec[], pending boolean, state_ text, made_ text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
DECLARE
    done text;
BEGIN
    IF NOT i_may_recompute(observation) THEN
        PERFORM refuse('may_not_write');
    END IF;
    done := put_again(observation, version_, sources, hashes, stated_, words, cited, terms_, frequencies_, length_, vectors, pending, state_,
                      made_);
    IF done = 'recomputed' THEN
        PERFORM note('observation.recompute', observation::text);
    END IF;
    RETURN done;
END $$;
CREATE FUNCTION retire(observation uuid, version_ int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, public, pg_temp AS $$
BEGIN
    IF NOT i_may_recompute(observation) THEN
        PERFORM refuse('may_not_write');
    END IF;
    PERFORM note('memory.archive', observation::text);
    RETURN retire_observation(observation, version_);
END $$;

CALL keep_functions(for_requests => ARRAY['observe', 'recompute', 'retire', 'i_may_recompute']);
