-- Workplaces and stages. The policy shows those of the caller's account alone; the blocks ask for the same.

-- name: all
SELECT w.program, w.machine, w.directory, w.project_id, w.registered_at FROM workplaces w
WHERE w.tenant_id = my_tenant() AND w.owner_id = my_workplace_owner()
ORDER BY w.project_id, w.machine, w.directory, w.program

-- Those that are one of the directories, the longest first. A team is known where its bank may be read.
-- name: holding
SELECT w.program, w.directory, w.project_id,
    coalesce((SELECT c.stage FROM stage_changes c
              WHERE c.tenant_id = w.tenant_id AND c.owner_id = w.owner_id AND c.project_id = w.project_id
              ORDER BY c.change_no DESC LIMIT 1), 'off') AS stage,
    (SELECT jsonb_build_array(t.principal_id, t.kind, t.name) FROM project_banks b JOIN principals t ON t.principal_id = b.team_id
     WHERE b.tenant_id = w.tenant_id AND b.project_id = w.project_id AND t.deleted_at IS NULL) AS team
FROM workplaces w
WHERE w.tenant_id = (SELECT my_tenant()) AND w.owner_id = (SELECT my_workplace_owner()) AND w.place = ANY (%(places)s::bytea[])
  AND (%(program)s::text IS NULL OR w.program = %(program)s)
ORDER BY octet_length(w.directory) DESC, w.program

-- name: register
SELECT register_workplace(%(place)s, %(program)s, %(machine)s, %(directory)s, %(project)s, %(most)s) AS done

-- name: unregister
SELECT unregister_workplace(%(place)s, %(program)s) AS done

-- name: connected
SELECT count(*) AS n FROM workplaces w
WHERE w.tenant_id = my_tenant() AND w.owner_id = my_workplace_owner() AND w.project_id = %(project)s

-- Those with a workplace, and those whose stage was ever changed.
-- name: projects
SELECT p.project_id, coalesce(s.stage, 'off') AS stage, s.at AS since,
    (SELECT count(*) FROM workplaces w
     WHERE w.tenant_id = (SELECT my_tenant()) AND w.owner_id = (SELECT my_workplace_owner()) AND w.project_id = p.project_id)
        AS workplaces,
    (SELECT max(t.at) FROM hook_turns t
     WHERE t.tenant_id = (SELECT my_tenant()) AND t.owner_id = (SELECT my_workplace_owner()) AND t.project_id = p.project_id)
        AS last
FROM (
    SELECT w.project_id FROM workplaces w
    WHERE w.tenant_id = (SELECT my_tenant()) AND w.owner_id = (SELECT my_workplace_owner())
    UNION
    SELECT c.project_id FROM stage_changes c
    WHERE c.tenant_id = (SELECT my_tenant()) AND c.owner_id = (SELECT my_workplace_owner())) p
LEFT JOIN LATERAL (
    SELECT c.stage, c.at FROM stage_changes c
    WHERE c.tenant_id = (SELECT my_tenant()) AND c.owner_id = (SELECT my_workplace_owner()) AND c.project_id = p.project_id
    ORDER BY c.change_no DESC LIMIT 1) s ON true
ORDER BY p.project_id LIMIT %(limit)s

-- name: changes
SELECT c.project_id, c.stage, c.before, c.at, c.reason,
    (SELECT jsonb_build_array(p.principal_id, p.kind, p.name) FROM principals p WHERE p.principal_id = c.changed_by) AS changed_by
FROM stage_changes c
WHERE c.tenant_id = my_tenant() AND c.owner_id = my_workplace_owner() AND c.project_id = %(project)s
ORDER BY c.change_no DESC LIMIT %(limit)s

-- name: set_stage
SELECT set_stage(%(project)s, %(before)s, %(stage)s, %(reason)s) AS done
