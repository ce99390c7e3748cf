-- Which memories a project leaves is asked at each prompt of a program, of all that the reader may see: from the index alone.
CREATE INDEX memories_placed ON memories (audience_id) INCLUDE (memory_no, project_id, state, author_id, tenant_id, expires_at);
