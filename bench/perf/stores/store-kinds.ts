/** The stores that are measured, each with what it could reach at best: the same bytes in one bare insert. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "palimpsest";
import { memoryStore } from "palimpsest/stores/memory";
import { postgresStore } from "palimpsest/stores/postgres";
import { sqliteStore } from "palimpsest/stores/sqlite";
import pg from "pg";
import { findPostgres } from "./postgres-server.ts";

export interface StoreKind {
  readonly name: string;
  /** A place without sessions. */
  create(): Promise<StorePlace>;
}

export interface StorePlace {
  /** Undefined: sessions live in memory alone. Every call opens what the one before left behind. */
  open(): Store | undefined;
  /** A bare, durable insert of one text, where there is something to compare with. */
  readonly rawInsert?: (body: string) => Promise<void>;
  /** What the store takes on the disk now, indexes and all. */
  readonly diskBytes?: () => Promise<number>;
  remove(): Promise<void>;
}

export interface StoreKinds {
  readonly kinds: readonly StoreKind[];
  end(): Promise<void>;
}

export async function storeKinds(): Promise<StoreKinds> {
  const server = await findPostgres();
  if (server === undefined) console.log("\nNo PostgreSQL can be started here: it is not measured.");
  return {
    kinds: [noStore, memory, sqlite, ...(server === undefined ? [] : [postgres(server.connectionString)])],
    end: async () => server?.remove(),
  };
}

const noStore: StoreKind = {
  name: "no store",
  create: async () => ({ open: () => undefined, remove: async () => undefined }),
};

const memory: StoreKind = {
  name: "memory",
  create: async () => {
    const store = memoryStore();
    return { open: () => store, remove: () => store.close() };
  },
};

const sqlite: StoreKind = {
  name: "SQLite",
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
    const bare = new DatabaseSync(join(folder, "bare.sqlite"));
    bare.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (body TEXT NOT NULL)");
    const insert = bare.prepare("INSERT INTO bare (body) VALUES (?)");
    return {
      open: () => sqliteStore({ path: join(folder, "store.sqlite") }),
      rawInsert: async (body) => void insert.run(body),
      diskBytes: async () => ["", "-wal"].reduce((sum, end) => sum + sizeOf(join(folder, `store.sqlite${end}`)), 0),
      remove: async () => {
        bare.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function postgres(connectionString: string): StoreKind {
  return {
    name: "PostgreSQL",
    create: async () => {
      const schema = `bench_${randomUUID()}`;
      const bare = new pg.Client({ connectionString });
      await bare.connect();
      await bare.query(`CREATE TABLE "bare_${schema}" (number bigserial PRIMARY KEY, body text NOT NULL)`);
      const insert = { name: "bare", text: `INSERT INTO "bare_${schema}" (body) VALUES ($1)` };
      return {
        open: () => postgresStore({ connectionString, schema }),
        diskBytes: async () => {
          const sizes = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
            WHERE relnamespace = $1::regnamespace AND relkind = 'r'`;
          const { rows } = await bare.query<{ bytes: string }>(sizes, [`"${schema}"`]);
          return Number(rows[0]?.bytes);
        },
        rawInsert: async (body) => void (await bare.query({ ...insert, values: [body] })),
        remove: async () => {
          await bare.query(`DROP TABLE "bare_${schema}"; DROP SCHEMA "${schema}" CASCADE`);
          await bare.end();
        },
      };
    },
  };
}
