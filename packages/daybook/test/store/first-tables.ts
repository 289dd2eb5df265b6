/** How the first version made its tables, with those of a collection `posts` and its locale `de`: stores hold them like this. */
export const FIRST_TABLES = {
  sqlite: `
  CREATE TABLE IF NOT EXISTS daybook$meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$head (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$collections (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, visible_seq INTEGER NOT NULL, counts TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$globals (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, shape TEXT NOT NULL, kept TEXT, locales TEXT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$refs (from_collection TEXT NOT NULL, from_id TEXT NOT NULL, field TEXT NOT NULL, position INTEGER NOT NULL, to_collection TEXT NOT NULL, to_id TEXT NOT NULL, PRIMARY KEY (from_collection, from_id, field, position)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS daybook$refs_to ON daybook$refs (to_collection, to_id, from_collection, field);
  CREATE TABLE IF NOT EXISTS daybook$choices (from_collection TEXT NOT NULL, from_id TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (from_collection, from_id, field, value)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS daybook$choices_of ON daybook$choices (from_collection, field, value, from_id);
  CREATE TABLE IF NOT EXISTS daybook$idempotency (key TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS daybook$idempotency_at ON daybook$idempotency (at);
  CREATE TABLE IF NOT EXISTS daybook$leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$attempts (key TEXT PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$records (kind TEXT NOT NULL, id TEXT NOT NULL, until INTEGER, doc TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS daybook$records_until ON daybook$records (until) WHERE until IS NOT NULL;
  CREATE TABLE IF NOT EXISTS daybook$record_keys (kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, field, value, id)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS daybook$record_keys_of ON daybook$record_keys (kind, id);
  CREATE TABLE IF NOT EXISTS daybook$journal (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS daybook$journal_payload (seq INTEGER PRIMARY KEY REFERENCES daybook$journal (seq), doc TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS "posts" (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT UNIQUE, status TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, seq INTEGER NOT NULL, shape TEXT NOT NULL, kept TEXT, locales TEXT, draft TEXT, doc TEXT NOT NULL) STRICT;
  CREATE TABLE "posts$de" (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT, own_slug TEXT UNIQUE, status TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, seq INTEGER NOT NULL, shape TEXT NOT NULL, kept TEXT, draft TEXT, doc TEXT NOT NULL) STRICT;`,
  postgres: `
  CREATE TABLE IF NOT EXISTS daybook$meta (key TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$head ("only" INTEGER PRIMARY KEY CHECK ("only" = 1), seq BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$collections (key TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, visible_seq BIGINT NOT NULL, counts TEXT COLLATE "C" NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$globals (key TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, shape TEXT COLLATE "C" NOT NULL, kept TEXT COLLATE "C", locales TEXT COLLATE "C", doc TEXT COLLATE "C" NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$refs (from_collection TEXT COLLATE "C" NOT NULL, from_id TEXT COLLATE "C" NOT NULL, field TEXT COLLATE "C" NOT NULL, position INTEGER NOT NULL, to_collection TEXT COLLATE "C" NOT NULL, to_id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (from_collection, from_id, field, position));
  CREATE INDEX IF NOT EXISTS daybook$refs_to ON daybook$refs (to_collection, to_id, from_collection, field);
  CREATE TABLE IF NOT EXISTS daybook$choices (from_collection TEXT COLLATE "C" NOT NULL, from_id TEXT COLLATE "C" NOT NULL, field TEXT COLLATE "C" NOT NULL, value TEXT COLLATE "C" NOT NULL, PRIMARY KEY (from_collection, from_id, field, value));
  CREATE INDEX IF NOT EXISTS daybook$choices_of ON daybook$choices (from_collection, field, value, from_id);
  CREATE TABLE IF NOT EXISTS daybook$idempotency (key TEXT COLLATE "C" PRIMARY KEY, request TEXT COLLATE "C" NOT NULL, at TEXT COLLATE "C" NOT NULL, status INTEGER NOT NULL, headers TEXT COLLATE "C" NOT NULL, body TEXT COLLATE "C" NOT NULL);
  CREATE INDEX IF NOT EXISTS daybook$idempotency_at ON daybook$idempotency (at);
  CREATE TABLE IF NOT EXISTS daybook$leases (name TEXT COLLATE "C" PRIMARY KEY, holder TEXT COLLATE "C" NOT NULL, token BIGINT NOT NULL, until BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$attempts (key TEXT COLLATE "C" PRIMARY KEY, count INTEGER NOT NULL, until BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$records (kind TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, until BIGINT, doc TEXT COLLATE "C" NOT NULL, PRIMARY KEY (kind, id));
  CREATE INDEX IF NOT EXISTS daybook$records_until ON daybook$records (until) WHERE until IS NOT NULL;
  CREATE TABLE IF NOT EXISTS daybook$record_keys (kind TEXT COLLATE "C" NOT NULL, field TEXT COLLATE "C" NOT NULL, value TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (kind, field, value, id));
  CREATE INDEX IF NOT EXISTS daybook$record_keys_of ON daybook$record_keys (kind, id);
  CREATE TABLE IF NOT EXISTS daybook$journal (seq BIGINT PRIMARY KEY, at TEXT COLLATE "C" NOT NULL, actor TEXT COLLATE "C" NOT NULL, action TEXT COLLATE "C" NOT NULL, collection TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL);
  CREATE TABLE IF NOT EXISTS daybook$journal_payload (seq BIGINT PRIMARY KEY REFERENCES daybook$journal (seq), doc TEXT COLLATE "C");
  CREATE TABLE IF NOT EXISTS "posts" (pk BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, id TEXT COLLATE "C" NOT NULL UNIQUE, slug TEXT COLLATE "C" UNIQUE, status TEXT COLLATE "C", created_at TEXT COLLATE "C" NOT NULL, updated_at TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, shape TEXT COLLATE "C" NOT NULL, kept TEXT COLLATE "C", locales TEXT COLLATE "C", draft TEXT COLLATE "C", doc TEXT COLLATE "C" NOT NULL);
  CREATE TABLE "posts$de" (pk BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, id TEXT COLLATE "C" NOT NULL UNIQUE, slug TEXT COLLATE "C", own_slug TEXT COLLATE "C" UNIQUE, status TEXT COLLATE "C", created_at TEXT COLLATE "C" NOT NULL, updated_at TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, shape TEXT COLLATE "C" NOT NULL, kept TEXT COLLATE "C", draft TEXT COLLATE "C", doc TEXT COLLATE "C" NOT NULL);`,
} as const
