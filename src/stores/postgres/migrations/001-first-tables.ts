import type { Migration } from "./migration.ts";

/**
 * Names compare by their bytes: other collations change with the machine's libraries, and their indexes break. Session keys stay
 * below 2^53, so that JavaScript's numbers hold them. The time of the last write has no index: without one an append changes
 * the session's row in place. A short pending list keeps the append that must sort it into the index from waiting long.
 */
export const firstTables: Migration = {
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
