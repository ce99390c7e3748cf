-- What the database says of itself. Each function checks who asks; none tells of a row that is somebody's.

-- name: built
SELECT schema, server, pgvector, embedder, dimensions, founded_at FROM installation_built()

-- name: database_size
SELECT database_size() AS size

-- name: table_sizes
SELECT name, size FROM table_sizes(%(most)s)

-- name: backlogs
SELECT work, waiting, failed, oldest FROM backlogs()
