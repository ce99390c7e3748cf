-- The queue of procrastinate lives in a schema of its own; requests reach it through one function.

GRANT USAGE ON SCHEMA procrastinate TO whoknows_jobs, whoknows_definer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA procrastinate TO whoknows_jobs;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA procrastinate TO whoknows_jobs, whoknows_definer;
GRANT SELECT, INSERT ON procrastinate.procrastinate_jobs, procrastinate.procrastinate_events TO whoknows_definer;
GRANT SELECT ON procrastinate.procrastinate_workers TO whoknows_definer;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA procrastinate TO whoknows_jobs, whoknows_definer;

-- In the transaction of the write: the job is there exactly if the memory is. One waiting job for each memory.
CREATE FUNCTION queue_embedding(memory uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, procrastinate, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM procrastinate_jobs WHERE queueing_lock = 'embed:' || memory AND status = 'todo') THEN
        PERFORM procrastinate_defer_jobs_v1(ARRAY[ROW(
            'embedding', 'embed', 0, NULL, 'embed:' || memory, jsonb_build_object('memory_id', memory), NULL
        )::procrastinate_job_to_defer_v1]);
    END IF;
END $$;

-- Texts whose job is neither waiting nor in the hands of a worker that lives: the worker was killed.
CREATE FUNCTION requeue_embeddings() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = whoknows, procrastinate, public, pg_temp AS $$
DECLARE
    n int := 0;
    lost uuid;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7466203) THEN
        RETURN 0;
    END IF;
    FOR lost IN
        SELECT q.memory_id FROM pending_embeddings q
        WHERE q.since < now() - interval '2 seconds' AND NOT EXISTS (
            SELECT FROM procrastinate_jobs j LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
            WHERE j.task_name = 'embed' AND j.args ->> 'memory_id' = q.memory_id::text
              AND (j.status = 'todo' OR (j.status = 'doing' AND w.last_heartbeat > now() - interval '30 seconds')))
        LIMIT 1000 LOOP
        PERFORM queue_embedding(lost);
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;
