-- Cases of the Bureau, and what their stage shows.

-- name: open
SELECT open_case(%(name)s, %(credential)s, %(hash)s, %(roles)s::text[], %(script)s, %(language)s) AS tenant_id

-- name: lay
SELECT lay_card(%(tenant)s, %(role)s, %(id)s, %(content)s, %(category)s, %(tags)s::text[], %(content_hash)s, %(dedupe_key)s, %(wide)s,
    %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[])

-- name: begin
SELECT begin_case(%(tenant)s)

-- name: clear
SELECT clear_case() AS tenant_id

-- name: close
SELECT close_case()

-- name: find
SELECT c.script, c.language, c.founded_at, c.reset_at FROM cases c WHERE c.tenant_id = my_tenant() AND c.closed_at IS NULL

-- name: note_inspection
SELECT note_case_inspection(%(route)s)

-- name: make_show_key
SELECT make_show_key(%(id)s, %(hash)s, %(expires_at)s)

-- name: tell_asked
SELECT tell_asked(%(known)s, %(mode)s, %(searched)s::text[])

-- name: board
SELECT content, tags, author, at FROM stage_board(%(limit)s)

-- What is public within the case, in the order of the commits.
-- name: events_after
SELECT e.event_id, e.xid::text::bigint AS xid, e.event_no, e.kind, e.known, e.mode, e.searched, e.at,
    (SELECT p.name FROM principals p WHERE p.principal_id = e.role_id) AS role
FROM stage_events e
WHERE e.tenant_id = my_tenant() AND (e.xid, e.event_no) > (%(xid)s::text::xid8, %(number)s)
  AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY e.xid, e.event_no LIMIT %(limit)s

-- name: holds_back
SELECT EXISTS (SELECT FROM stage_events e WHERE e.tenant_id = my_tenant() AND (e.xid, e.event_no) > (%(xid)s::text::xid8, %(number)s)) AS held_back

-- The newest thing that happened to each role, and to none of them.
-- name: last_events
SELECT e.event_id, e.kind, e.known, e.mode, e.searched, e.at, p.name AS role
FROM stage_events e LEFT JOIN principals p ON p.principal_id = e.role_id
WHERE e.tenant_id = my_tenant() AND e.event_no IN (
    SELECT max(l.event_no) FROM stage_events l WHERE l.tenant_id = my_tenant() GROUP BY l.role_id)
ORDER BY e.event_no

-- name: newest_event
SELECT e.event_id FROM stage_events e WHERE e.tenant_id = my_tenant() AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY e.xid DESC, e.event_no DESC LIMIT 1

-- name: event_position
SELECT e.xid::text::bigint AS xid, e.event_no FROM stage_events e WHERE e.tenant_id = my_tenant() AND e.event_id = %(event)s

-- name: present_position
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid
