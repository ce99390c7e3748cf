-- What programs got from memory, in figures. The policy shows those of the caller's account alone; the blocks ask for the same.

-- name: turns
SELECT count(*) AS n FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.project_id = %(project)s
  AND t.stage = %(stage)s AND (%(since)s::timestamptz IS NULL OR t.at >= %(since)s)

-- name: tallies
SELECT t.stage, t.program, t.event, t.outcome, t.reason, count(*) AS events FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.project_id = %(project)s
  AND t.at >= %(begin)s AND t.at < %(end)s
GROUP BY 1, 2, 3, 4, 5 ORDER BY events DESC, 1, 2, 3, 4, 5

-- Amounts are of prompts; what a session began with is in the sums.
-- name: measures
SELECT t.stage, min(t.at) AS first, max(t.at) AS last, count(DISTINCT (t.program, t.session_id)) AS sessions,
    sum(cardinality(t.memories))::int AS memories, sum(t.characters)::int AS characters, sum(t.tokens)::int AS tokens,
    coalesce(percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY cardinality(t.memories)) FILTER (WHERE t.event = 'prompt'),
        ARRAY[0, 0]) AS memories_of,
    coalesce(percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY t.characters) FILTER (WHERE t.event = 'prompt'),
        ARRAY[0, 0]) AS characters_of,
    coalesce(percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY t.tokens) FILTER (WHERE t.event = 'prompt'),
        ARRAY[0, 0]) AS tokens_of,
    min(t.lowest_score) AS lowest_score, percentile_disc(0.5) WITHIN GROUP (ORDER BY t.top_score) AS median_score,
    max(t.top_score) AS top_score,
    percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY t.took_ms) AS took_ms
FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.project_id = %(project)s
  AND t.at >= %(begin)s AND t.at < %(end)s
GROUP BY t.stage

-- name: captured
SELECT t.stage, t.program, t.session_id, t.turn_id FROM hook_turns t
WHERE t.tenant_id = my_tenant() AND t.owner_id = my_workplace_owner() AND t.project_id = %(project)s
  AND t.at >= %(begin)s AND t.at < %(end)s AND t.outcome = 'captured'
ORDER BY t.turn_no DESC LIMIT %(limit)s

-- What distillation made of messages: one row for a message that was heard, another for each thing that was kept of it.
-- name: heard
SELECT m.message_id, m.skipped, NULL AS kept FROM distilled_messages m
WHERE m.tenant_id = my_tenant() AND m.account_id = my_account() AND m.message_id = ANY (%(messages)s::text[])
UNION ALL
SELECT f.message_id, NULL, f.outcome FROM distilled_facts f
WHERE f.tenant_id = my_tenant() AND f.account_id = my_account() AND f.message_id = ANY (%(messages)s::text[])
