-- Which memories a project leaves: by its name, so that those of the others are not read. `memories_project` is within it.
DROP INDEX memories_placed;
DROP INDEX memories_project;
CREATE INDEX memories_placed ON memories (audience_id, project_id) INCLUDE (memory_no, state, author_id, tenant_id, expires_at);
