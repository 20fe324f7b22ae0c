/** The checkpointer, held to LangGraph's own suite for those, on every store. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/index.ts";
import { palimpsestCheckpointer } from "../../src/integrations/langchain/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { isFull } from "../chaos/chaos-size.ts";
import { describePostgres, runSql } from "../support/postgres-database.ts";

// The suite takes them from the global object.
const vitestGlobals = { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach };
Object.assign(globalThis, vitestGlobals);
afterAll(() => {
  for (const name of Object.keys(vitestGlobals)) Reflect.deleteProperty(globalThis, name);
});

/** Every checkpoint is kept whole, as by this one of LangGraph's: by its name the suite leaves the case out that wants the changes alone. */
const KEEPS_WHOLE_CHECKPOINTS = "MemorySaver";

/** Runs the suite: each of its parts has a store of its own. */
function validateOn(openStore: () => Store): void {
  const stores = new Map<unknown, Store>();
  validate({
    checkpointerName: KEEPS_WHOLE_CHECKPOINTS,
    createCheckpointer: () => {
      const store = openStore();
      const checkpointer = palimpsestCheckpointer({ store });
      stores.set(checkpointer, store);
      return checkpointer;
    },
    destroyCheckpointer: (checkpointer) => stores.get(checkpointer)?.close(),
  });
}

// What a store does is held by its contract: one of them is enough to see what the checkpointer does.
if (isFull) describe("memory", () => validateOn(memoryStore));

describe("sqlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-checkpointer-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  validateOn(() => sqliteStore({ path: join(folder, `${randomUUID()}.db`) }));
});

if (isFull)
  await describePostgres("postgres", (connectionString) => {
    const schemas: string[] = [];
    afterAll(async () => {
      for (const schema of schemas) await runSql(connectionString, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    });
    validateOn(() => {
      const schema = `test_${randomUUID()}`;
      schemas.push(schema);
      return postgresStore({ connectionString, schema });
    });
  });
