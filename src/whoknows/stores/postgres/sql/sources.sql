-- Sources, and the index of their documents. What changes them are functions that check the right again.

-- name: select
SELECT s.source_id, s.name, s.kind, s.locator, s.audience_id, s.revision, s.documents, s.synced_at, s.created_at,
    jsonb_build_array(o.principal_id, o.kind, o.name) AS owner
FROM sources s JOIN principals o ON o.principal_id = s.owner_id

-- name: named
WHERE {{of_audience s}} AND s.name = %(name)s ORDER BY s.source_id LIMIT 1

-- name: under
WHERE {{of_audience s}} AND s.kind = 'folder' AND (%(path)s::text = s.locator OR starts_with(%(path)s::text, rtrim(s.locator, '/') || '/')
    OR starts_with(%(path)s::text, s.name || '/'))
ORDER BY length(s.locator) DESC, s.source_id LIMIT 1

-- name: by_id
WHERE s.tenant_id = my_tenant() AND s.source_id = %(id)s

-- name: all
WHERE s.tenant_id = my_tenant() AND o.deleted_at IS NULL ORDER BY s.name, s.source_id

-- name: may
SELECT i_may_source(%(owner)s) AS done

-- name: may_register
SELECT i_may_register(%(owner)s) AS done

-- name: register
SELECT register_source(%(id)s, %(name)s, %(kind)s, %(locator)s, %(owner)s)

-- name: begin
SELECT begin_sync(%(id)s, %(lease)s, %(seconds)s) AS done

-- name: renew
SELECT renew_sync(%(id)s, %(lease)s, %(seconds)s) AS done

-- name: finish
SELECT finish_sync(%(id)s, %(lease)s, %(revision)s) AS done

-- name: indexed
SELECT path, blob, form FROM indexed_files(%(id)s)

-- name: documents
SELECT i.path, m.memory_id, m.title, m.state,
    (SELECT count(*) FROM memories s WHERE s.part_of = m.memory_id AND {{visible s}}) AS sections
FROM indexed i JOIN memories m ON m.memory_id = i.memory_id
WHERE i.source_id = %(source)s AND i.anchor = '' AND i.path <> '' AND {{visible m}}
  AND i.path > coalesce((SELECT a.path FROM indexed a WHERE a.memory_id = %(after)s::uuid AND a.source_id = %(source)s), '')
ORDER BY i.path LIMIT %(limit)s

-- name: pieces
SELECT anchor, digest FROM indexed_pieces(%(id)s, %(path)s)

-- name: move
SELECT move_indexed(%(id)s, %(lease)s, %(path)s, %(to)s)

-- name: put
SELECT put_indexed(%(id)s, %(lease)s, %(path)s, %(anchor)s, %(blob)s, %(form)s, %(memory)s, %(title)s, %(content)s, %(category)s,
    %(tags)s::text[], %(hash)s, %(digest)s, %(line_start)s, %(line_end)s, %(cited)s::jsonb, %(dated)s, %(wide)s, %(terms)s::bigint[], %(frequencies)s::int[], %(length)s, %(vectors)s::halfvec[], %(pending)s)

-- name: drop
SELECT drop_indexed(%(id)s, %(lease)s, %(paths)s::text[], %(keep)s::text[]) AS n

-- name: settle
SELECT settle_indexed(%(id)s, %(lease)s, %(paths)s::text[], %(bys)s::text[], %(reasons)s::text[])

-- name: clear
SELECT clear_source(%(id)s, %(most)s) AS n

-- name: remove
SELECT remove_source(%(id)s)
