/** What the dashboard asks for reads what it shows, however long the session is. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { chat } from "../../../test/support/messages.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";

const MESSAGES = 10_000;
const REQUESTS = 200;

let api: ApiUnderTest;
let blobsRead: number;
let recordsRead: number;

/** Counts what is read of a store. */
function countedStore(): Store {
  const store = memoryStore();
  return {
    ...interceptStore(store, {}),
    read: async (key, options) => {
      const records = await store.read(key, options);
      recordsRead += records.length;
      return records;
    },
    readBlobs: async (key, names) => {
      blobsRead += names.length;
      return store.readBlobs(key, names);
    },
  };
}

beforeAll(async () => {
  api = await startApi({ store: countedStore() });
  const session = await api.engine.session("long");
  const all = chat(MESSAGES);
  const step = MESSAGES / REQUESTS;
  for (let from = 0; from < MESSAGES; from += step) {
    await session.append(...all.slice(from, from + step));
    const messages = all.slice(0, from + step).map(({ role, content }) => ({ role, content }));
    const bytes = new TextEncoder().encode(JSON.stringify({ model: "m", messages }));
    await session.recordRequest({ usage: { inputTokens: 100 }, body: { wire: "anthropic", bytes } });
  }
  [blobsRead, recordsRead] = [0, 0];
});
afterAll(() => api.close());

async function readsOf(path: string) {
  [blobsRead, recordsRead] = [0, 0];
  const { status, body } = await api.get(path);
  expect(status, path).toBe(200);
  return { body, blobsRead, recordsRead };
}

describe("a session of 10,000 messages and 200 requests", () => {
  test("is shown in parts: no screen reads records again, and of blobs only what it shows", async () => {
    const strata = await readsOf("/sessions/long/strata?fromMessage=5000&toMessage=5050&fromRequest=150&toRequest=160");
    expect(strata.body.messages).toMatchObject({ total: MESSAGES, from: 5_000 });
    expect(strata.body.messages.rows).toHaveLength(50);
    expect(strata.body.requests).toMatchObject({ total: REQUESTS, from: 150 });
    expect(JSON.stringify(strata.body).length).toBeLessThan(30_000);
    const now = await readsOf("/sessions/long/now");
    const page = await readsOf("/sessions/long/requests?after=100&limit=5");
    expect(page.body.requests).toHaveLength(5);
    const findings = await readsOf("/sessions/long/requests/7");
    for (const { recordsRead, blobsRead } of [strata, now, page, findings]) {
      expect([recordsRead, blobsRead]).toEqual([0, 0]);
    }
  });

  test("gives part of a body without reading the rest of it", async () => {
    const part = await readsOf("/sessions/long/requests/199/body?from=100000&bytes=1000");
    expect(part.body).toHaveLength(1_000);
    expect(part.recordsRead).toBe(0);
    expect(part.blobsRead).toBeLessThan(60);
  });

  test("is found by the store's index, and listed by its first records", async () => {
    const found = await readsOf("/search?q=message&limit=5");
    expect(found.recordsRead).toBeLessThan(1_000);
    const listed = await readsOf("/sessions");
    expect(listed.recordsRead).toBeLessThan(5);
    const tree = await readsOf("/session-tree");
    expect(tree.recordsRead).toBeLessThan(5);
  });
});
