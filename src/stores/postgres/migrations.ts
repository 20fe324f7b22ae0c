import { makeSplitSql, PARTITIONED_TABLES, splitName } from "./partitions/partitioned-tables.ts";

/** One step of the schema. A released migration is never edited: a change is a new migration. */
interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  /** Runs in a transaction of its own, with the store's schema as the only one on the search path. */
  readonly sql: string;
}

/**
 * Names compare by their bytes: other collations change with the machine's libraries, and their indexes break. Session keys stay
 * below 2^53, so that JavaScript's numbers hold them. The time of the last write has no index: without one an append changes
 * the session's row in place. A short pending list keeps the append that must sort it into the index from waiting long.
 */
const firstTables: Migration = {
  version: 1,
  sql: `
    CREATE TABLE sessions (
      key bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      version bigint NOT NULL DEFAULT 0,
      rewrite_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    ) WITH (fillfactor = 50);

    CREATE TABLE records (
      session_key bigint NOT NULL,
      version bigint NOT NULL,
      at bigint NOT NULL,
      is_rewrite boolean NOT NULL,
      body text NOT NULL,
      checksum bytea NOT NULL,
      PRIMARY KEY (session_key, version)
    );

    CREATE TABLE record_terms (
      session_key bigint NOT NULL,
      version bigint NOT NULL,
      lexemes tsvector NOT NULL
    );
    CREATE INDEX record_terms_lexemes ON record_terms USING gin (lexemes)
      WITH (gin_pending_list_limit = 1024);

    CREATE TABLE locks (
      session_key bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      holder text NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (session_key, name)
    );

    CREATE TABLE checkpoints (
      session_key bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      save_order bigint GENERATED ALWAYS AS IDENTITY,
      at bigint NOT NULL,
      body text NOT NULL,
      checksum bytea NOT NULL,
      PRIMARY KEY (session_key, id)
    );
  `,
};

/** Adds a checksum to each session's row, over its id and versions. */
const sessionChecksums: Migration = {
  version: 2,
  sql: `
    ALTER TABLE sessions ADD COLUMN checksum bytea;
    UPDATE sessions SET checksum = sha256(convert_to(concat_ws(' ', version, rewrite_version, id), 'UTF8'));
    ALTER TABLE sessions ALTER COLUMN checksum SET NOT NULL;
  `,
};

/** Stored uncompressed: blobs that are worth it were compressed before. */
const blobs: Migration = {
  version: 3,
  sql: `
    CREATE TABLE blobs (
      session_key bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (session_key, name)
    );
    ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
  `,
};

/** Retention never removes a pinned session. PostgreSQL keeps the default in the catalogue, so that no row is rewritten. */
const pinnedSessions: Migration = {
  version: 4,
  sql: "ALTER TABLE sessions ADD COLUMN is_pinned boolean NOT NULL DEFAULT false",
};

const NAMES = PARTITIONED_TABLES.map(({ name }) => name);
const ARE_EMPTY = NAMES.map((name) => `NOT EXISTS (SELECT FROM ${name})`).join(" AND ");

/**
 * Partitions the tables by session if they are empty. Otherwise they stay as they are, and every statement works on them, too: a gateway must
 * not wait for the split at its start, and `palimpsest store migrate` does it while gateways run.
 */
const partitions: Migration = {
  version: 5,
  sql: `
    DO $do$ BEGIN
      IF NOT (${ARE_EMPTY}) THEN RETURN; END IF;
      LOCK TABLE ${NAMES.join(", ")} IN ACCESS EXCLUSIVE MODE;
      IF NOT (${ARE_EMPTY}) THEN RETURN; END IF;
      ${PARTITIONED_TABLES.map(
        (table) => `${makeSplitSql(table)};
      DROP TABLE ${table.name};
      ALTER TABLE ${splitName(table)} RENAME TO ${table.name};`,
      ).join("\n")}
    END $do$`,
};

/** At most one saved state for each session. It can be derived from the records again. */
const savedStates: Migration = {
  version: 6,
  sql: `
    CREATE TABLE saved_states (
      session_key bigint PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
      version bigint NOT NULL,
      body text NOT NULL
    );
  `,
};

/** Every migration, the oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  sessionChecksums,
  blobs,
  pinnedSessions,
  partitions,
  savedStates,
];
