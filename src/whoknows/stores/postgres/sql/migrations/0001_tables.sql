-- The tables. Every row and every key starts with the tenant; names are for people, rows refer to ids.
-- Runs as the owner role, after the extension `vector`; the schema is `whoknows`, so that a database may be shared.

CREATE TABLE installation (
    only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    embedder   text NOT NULL,
    dimensions int NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- What is computed once for an embedder and holds nobody's data: the vectors of the cohort.
CREATE TABLE embedder_cache (
    key   text PRIMARY KEY,
    value real[] NOT NULL
);

CREATE TABLE tenants (
    tenant_id  int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Agents, members and teams. A deleted name keeps its row, so that nobody inherits memories by taking it.
CREATE TABLE principals (
    tenant_id    int NOT NULL REFERENCES tenants,
    principal_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('agent', 'member', 'team')),
    name         text NOT NULL,
    display_name text,
    role         text CHECK (role IN ('main', 'sub')),
    clearance    text NOT NULL DEFAULT 'open' CHECK (clearance IN ('open', 'need_to_know')),
    parent_id    int REFERENCES principals,
    account_id   int REFERENCES principals,
    gate         text NOT NULL DEFAULT 'open' CHECK (gate IN ('open', 'sourced', 'verified', 'reviewed')),
    share_with_subagents boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    UNIQUE (tenant_id, kind, name),
    CHECK ((kind = 'agent') = (role IS NOT NULL)),
    CHECK (parent_id IS NULL OR role = 'sub')
);
CREATE INDEX principals_children ON principals (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE memberships (
    tenant_id    int NOT NULL REFERENCES tenants,
    team_id      int NOT NULL REFERENCES principals,
    principal_id int NOT NULL REFERENCES principals,
    role         text NOT NULL CHECK (role IN ('reader', 'writer', 'owner')),
    since        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, principal_id)
);
CREATE INDEX memberships_of ON memberships (principal_id);

-- Keys: the hash of a 256-bit random secret; the secret itself is nowhere.
CREATE TABLE credentials (
    tenant_id     int NOT NULL REFERENCES tenants,
    credential_id uuid PRIMARY KEY,
    secret_hash   bytea NOT NULL UNIQUE,
    permissions   text[] NOT NULL DEFAULT '{}',
    task_id       text,
    expires_at    timestamptz,
    revoked_at    timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    made_by       uuid
);
CREATE TABLE credential_principals (
    tenant_id     int NOT NULL REFERENCES tenants,
    credential_id uuid NOT NULL REFERENCES credentials,
    principal_id  int NOT NULL REFERENCES principals,
    PRIMARY KEY (credential_id, principal_id)
);
CREATE INDEX credential_principals_of ON credential_principals (principal_id);

-- Audiences, one row per distinct value. `readers` is sorted: the array of ids is the value, no text is joined.
CREATE TABLE audiences (
    tenant_id   int NOT NULL REFERENCES tenants,
    audience_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    layer       text NOT NULL CHECK (layer IN ('private', 'team', 'injected')),
    owner_id    int NOT NULL REFERENCES principals,
    readers     int[] NOT NULL,
    task_id     text,
    session_id  text,
    CHECK (session_id IS NULL OR (layer = 'private' AND cardinality(readers) = 1))
);
CREATE UNIQUE INDEX audiences_value ON audiences (tenant_id, layer, owner_id, readers, task_id, session_id) NULLS NOT DISTINCT;
CREATE INDEX audiences_owner ON audiences (owner_id);

-- The ways in: who belongs to an audience, and while what holds.
CREATE TABLE audience_grants (
    tenant_id   int NOT NULL REFERENCES tenants,
    audience_id int NOT NULL REFERENCES audiences ON DELETE CASCADE,
    kind        text NOT NULL CHECK (kind IN ('self', 'team', 'while_on_team', 'team_owners')),
    to_id       int NOT NULL REFERENCES principals,
    team_id     int REFERENCES principals,
    owner_id    int NOT NULL REFERENCES principals,
    layer       text NOT NULL,
    task_id     text,
    session_id  text,
    PRIMARY KEY (to_id, kind, audience_id),
    CHECK ((kind IN ('while_on_team', 'team_owners')) = (team_id IS NOT NULL))
);
CREATE INDEX audience_grants_of ON audience_grants (audience_id);

CREATE TABLE memories (
    tenant_id        int NOT NULL REFERENCES tenants,
    memory_no        bigint GENERATED ALWAYS AS IDENTITY,
    memory_id        uuid PRIMARY KEY,
    audience_id      int NOT NULL REFERENCES audiences,
    author_id        int NOT NULL REFERENCES principals,
    content          text NOT NULL,
    title            text,
    category         text NOT NULL,
    subject          text,
    tags             text[] NOT NULL DEFAULT '{}',
    isolation        text NOT NULL DEFAULT 'agent' CHECK (isolation IN ('agent', 'session', 'task')),
    project_id       text,
    session_id       text,
    session_ordinal  int NOT NULL DEFAULT 0,
    task_id          text,
    state            text NOT NULL DEFAULT 'active'
                     CHECK (state IN ('active', 'held', 'superseded', 'archived', 'withdrawn')),
    supersedes       uuid,
    superseded_by    uuid,
    superseded_at    timestamptz,
    reason           text,
    version          int NOT NULL DEFAULT 1,
    content_hash     text NOT NULL,
    dedupe_key       bytea NOT NULL,
    dedupe_author    int,
    injected_by_id   int REFERENCES principals,
    origin           jsonb,
    -- For ranking: mostly in Han characters; vectors made (a long text waits for its job).
    wide             boolean NOT NULL DEFAULT false,
    embedded         boolean NOT NULL DEFAULT true,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz,
    CHECK ((state = 'superseded') = (superseded_by IS NOT NULL)),
    CHECK (supersedes IS DISTINCT FROM memory_id AND superseded_by IS DISTINCT FROM memory_id)
);
CREATE UNIQUE INDEX memories_no ON memories (memory_no);
-- Ids are ordered by time: a page goes on behind the last one that was shown, whether or not that is still there.
CREATE INDEX memories_audience ON memories (audience_id, memory_id);
CREATE INDEX memories_project ON memories (audience_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX memories_session ON memories (audience_id, session_id, author_id, session_ordinal) WHERE session_id IS NOT NULL;
CREATE INDEX memories_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_predecessor ON memories (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memories_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_author ON memories (author_id);
-- W7: exact duplicates of the same audience, project, session and expiry are one row; copies never.
CREATE UNIQUE INDEX memories_one_of_a_kind
    ON memories (tenant_id, audience_id, dedupe_key, dedupe_author, project_id, session_id, expires_at) NULLS NOT DISTINCT
    WHERE state = 'active' AND origin IS NULL AND injected_by_id IS NULL;

CREATE TABLE memory_authors (
    tenant_id   int NOT NULL REFERENCES tenants,
    memory_id   uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    audience_id int NOT NULL,
    author_id   int NOT NULL REFERENCES principals,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (memory_id, author_id)
);

CREATE TABLE evidence (
    tenant_id   int NOT NULL REFERENCES tenants,
    evidence_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory_id   uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    audience_id int NOT NULL,
    added_by    int NOT NULL REFERENCES principals,
    source_kind text NOT NULL CHECK (source_kind IN ('git', 'file', 'message', 'url', 'memory', 'manual')),
    locator     text NOT NULL,
    revision    text,
    quote       text,
    quote_start int,
    quote_end   int,
    quote_hash  text,
    verified    boolean NOT NULL DEFAULT false,
    verified_at timestamptz
);
-- By hashes: a locator may be longer than an index can hold.
CREATE UNIQUE INDEX evidence_once
    ON evidence (memory_id, added_by, source_kind, md5(locator), md5(revision), quote_hash) NULLS NOT DISTINCT;

CREATE TABLE versions (
    tenant_id   int NOT NULL REFERENCES tenants,
    memory_id   uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    version     int NOT NULL,
    audience_id int NOT NULL,
    content     text NOT NULL,
    title       text,
    category    text NOT NULL,
    tags        text[] NOT NULL,
    subject     text,
    changed_by  int NOT NULL REFERENCES principals,
    changed_at  timestamptz NOT NULL DEFAULT now(),
    change      text NOT NULL,
    reason      text,
    PRIMARY KEY (memory_id, version)
);

-- What a delete leaves: that there was something, never what. Every job looks here before it publishes.
CREATE TABLE tombstones (
    tenant_id  int NOT NULL REFERENCES tenants,
    memory_id  uuid PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    deleted_by int
);

CREATE TABLE pending_embeddings (
    tenant_id int NOT NULL REFERENCES tenants,
    memory_id uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    author_id int NOT NULL,
    since     timestamptz NOT NULL DEFAULT now(),
    attempts  int NOT NULL DEFAULT 0,
    fault     text,
    PRIMARY KEY (memory_id)
);
CREATE INDEX pending_embeddings_author ON pending_embeddings (author_id);

-- `inspected`: asked with the eyes of the principal by somebody else, whose question it stays.
CREATE TABLE traces (
    tenant_id     int NOT NULL REFERENCES tenants,
    trace_id      uuid PRIMARY KEY,
    principal_id  int NOT NULL REFERENCES principals,
    credential_id uuid NOT NULL,
    inspected     boolean NOT NULL DEFAULT false,
    question      text NOT NULL,
    asked_at      timestamptz NOT NULL DEFAULT now(),
    body          jsonb NOT NULL
);
CREATE INDEX traces_of ON traces (principal_id, asked_at);
CREATE INDEX traces_age ON traces (asked_at);

-- `event_id` is what clients see: random, so that it does not count what they cannot see. `xid` orders events by the
-- transactions that made them: numbers are drawn before the commit, and a later number may be visible first.
CREATE TABLE events (
    tenant_id   int NOT NULL REFERENCES tenants,
    event_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    event_id    uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    audience_id int NOT NULL,
    kind        text NOT NULL,
    memory_id   uuid NOT NULL,
    author_id   int NOT NULL,
    held        boolean NOT NULL DEFAULT false,
    at          timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX events_audience ON events (audience_id, xid, event_no);
CREATE INDEX events_age ON events (at);

-- `audit_id` is what clients see: the numbers count what other tenants do.
CREATE TABLE audit (
    tenant_id     int NOT NULL REFERENCES tenants,
    audit_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    audit_id      uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    at            timestamptz NOT NULL DEFAULT now(),
    credential_id uuid,
    principal_id  int,
    action        text NOT NULL,
    target        text,
    concerns      int,
    detail        jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_tenant ON audit (tenant_id, audit_no);

-- W11: what was answered under an Idempotency-Key: ids, never texts; the answer is rendered again.
CREATE TABLE idempotency (
    tenant_id    int NOT NULL REFERENCES tenants,
    principal_id int NOT NULL REFERENCES principals,
    route        text NOT NULL,
    key          text NOT NULL,
    body_hash    text NOT NULL,
    answer       jsonb,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (principal_id, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);
