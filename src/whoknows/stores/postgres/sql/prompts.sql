-- Prompts. The policy shows the global layer and those of one's own account; the blocks ask for the same.

-- name: layers
SELECT DISTINCT ON (p.layer) p.layer, p.project_id, p.version, p.content, p.model, p.effort, p.saved_at, p.saved_with,
    (SELECT jsonb_build_array(a.principal_id, a.kind, a.name) FROM principals a WHERE a.principal_id = p.account_id) AS account,
    (SELECT jsonb_build_array(w.principal_id, w.kind, w.name) FROM principals w WHERE w.principal_id = p.saved_by) AS saved_by
FROM prompts p
WHERE p.tenant_id = my_tenant() AND (p.layer = 'global' OR (p.account_id = my_account()
    AND (p.layer = 'user' OR (p.layer = 'conversation' AND p.project_id = %(project)s::text))))
ORDER BY p.layer, p.version DESC

-- name: history
SELECT p.layer, p.project_id, p.version, p.content, p.model, p.effort, p.saved_at, p.saved_with,
    (SELECT jsonb_build_array(a.principal_id, a.kind, a.name) FROM principals a WHERE a.principal_id = p.account_id) AS account,
    (SELECT jsonb_build_array(w.principal_id, w.kind, w.name) FROM principals w WHERE w.principal_id = p.saved_by) AS saved_by
FROM prompts p
WHERE p.tenant_id = my_tenant() AND p.layer = %(layer)s AND (p.layer = 'global' OR p.account_id = my_account())
  AND p.project_id IS NOT DISTINCT FROM %(project)s::text AND (%(before)s::int IS NULL OR p.version < %(before)s::int)
ORDER BY p.version DESC LIMIT %(limit)s

-- name: save
SELECT save_prompt(%(layer)s, %(project)s, %(named)s::text[], %(content)s, %(model)s, %(effort)s, %(version)s::int) AS version
