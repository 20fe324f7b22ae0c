import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import type { MaintainedStore } from "../../src/core/ports/store.ts";
import type { Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { describePostgres, emptySchema, runSql } from "./postgres-database.ts";
import { editDatabase } from "./sqlite-sample.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Where a test's sessions are kept, gone after it. */
export interface StorePlace {
  /** A handle of its own on what is kept there, closed after the test. */
  open(): Store;
}

/** A place that other processes reach too, and that a person can edit. */
export interface DurablePlace extends StorePlace {
  open(): MaintainedStore;
  /** A module's lines that make a `store` on the same place. */
  readonly openingLines: string;
  /** Runs SQL past the store; the tables are called the same on all. */
  edit(sql: string): Promise<void>;
  /** Makes a session one that was last written to so much earlier. */
  age(sessionId: string, ms: number): Promise<void>;
}

export type MakePlace<Place> = () => Place;

/** Runs the tests on each kind of store. Makes a place within a test. */
export async function describeStores(name: string, define: (makePlace: MakePlace<StorePlace>) => void): Promise<void> {
  describe(`${name}: memory`, () => define(memoryPlace));
  await describeDurableStores(name, define);
}

/** On the stores that outlive their process. */
export async function describeDurableStores(
  name: string,
  define: (makePlace: MakePlace<DurablePlace>) => void,
): Promise<void> {
  describe(`${name}: sqlite`, () => define(sqlitePlace));
  await describePostgres(`${name}: postgres`, (connectionString) => define(() => postgresPlace(connectionString)));
}

/** On each kind of store, and without one: then engines share nothing. */
export async function describeSessions(
  name: string,
  define: (makePlace: MakePlace<{ open(): Store | undefined }>) => void,
): Promise<void> {
  describe(`${name}: no store`, () => define(() => ({ open: () => undefined })));
  await describeStores(name, define);
}

export function memoryPlace(): StorePlace {
  const store = memoryStore();
  return { open: () => store };
}

export function sqlitePlace(): DurablePlace {
  const path = join(temporaryFolder(), "store.db");
  return {
    open: () => closedLater(sqliteStore({ path })),
    openingLines: `import { sqliteStore } from ${urlOf("sqlite")};
      const store = sqliteStore({ path: ${JSON.stringify(path)} });`,
    edit: async (sql) => editDatabase(path, sql),
    age: async (id, ms) => editDatabase(path, `UPDATE sessions SET updated_at = updated_at - ${ms} WHERE id = '${id}'`),
  };
}

export function postgresPlace(connectionString: string): DurablePlace {
  const options = { connectionString, schema: emptySchema(connectionString), maxConnections: 3 };
  const edit = async (sql: string) => {
    await runSql(connectionString, `SET search_path TO "${options.schema}"; ${sql}`);
  };
  return {
    open: () => closedLater(postgresStore(options)),
    openingLines: `import { postgresStore } from ${urlOf("postgres")};
      const store = postgresStore(${JSON.stringify(options)});`,
    edit,
    age: (id, ms) => edit(`UPDATE sessions SET updated_at = updated_at - ${ms} * interval '1 ms' WHERE id = '${id}'`),
  };
}

function closedLater(store: MaintainedStore): MaintainedStore {
  onTestFinished(() => store.close());
  return store;
}

function urlOf(store: string): string {
  return JSON.stringify(new URL(`../../src/stores/${store}/index.ts`, import.meta.url).href);
}
