"""The store on PostgreSQL and pgvector: one door, one gateway per noun, SQL in files."""
