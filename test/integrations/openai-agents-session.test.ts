import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInputItem, Session } from "@openai/agents";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";

const ITEMS: readonly AgentInputItem[] = [
  { type: "message", role: "user", content: "Read both files." },
  {
    type: "reasoning",
    id: "rs_1",
    content: [{ type: "input_text", text: "Two calls." }],
    providerData: { encrypted_content: "gAAA" },
  },
  { type: "function_call", id: "fc_1", callId: "c1", name: "read", arguments: '{ "path": "a" }', status: "completed" },
  { type: "function_call", id: "fc_2", callId: "c2", name: "read", arguments: "{not json", status: "completed" },
  {
    type: "function_call_result",
    callId: "c1",
    name: "read",
    status: "completed",
    output: { type: "text", text: "1" },
  },
  { type: "function_call_result", callId: "c2", name: "read", status: "completed", output: "" },
  { type: "hosted_tool_call", id: "ws_1", name: "web_search_call", status: "completed", providerData: { type: "x" } },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Done.\u0000\ud83d", providerData: { annotations: [] } }],
  },
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-agents-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withSession<Value>(use: (session: Session) => Promise<Value>): Promise<Value> {
  const store = sqliteStore({ path: join(folder, "sessions.db") });
  try {
    return await use(palimpsestSession({ engine: createEngine({ model: "gpt-5.4", store }), sessionId: "task" }));
  } finally {
    await store.close();
  }
}

describe("a session of the SDK over our log", () => {
  test("gives items back exactly as they were added, also after a restart", async () => {
    await withSession(async (session) => {
      await session.addItems(ITEMS.slice(0, 3));
      await session.addItems(ITEMS.slice(3));
    });
    const again = await withSession((session) => session.getItems());
    expect(JSON.stringify(again)).toBe(JSON.stringify(ITEMS));
    expect(await withSession((session) => session.getSessionId())).toBe("task");
  });

  test("gives the newest items where it is asked for some", async () => {
    await withSession(async (session) => {
      await session.addItems([...ITEMS]);
      expect(await session.getItems(2)).toEqual(ITEMS.slice(-2));
      expect(await session.getItems(0)).toEqual([]);
      expect(await session.getItems(99)).toEqual(ITEMS);
    });
  });

  test("keeps what others do with the items that it was given, or gave, out of the log", async () => {
    await withSession(async (session) => {
      const item: AgentInputItem = { role: "user", content: "Why?" };
      await session.addItems([item]);
      item.content = "changed";
      const [given] = await session.getItems();
      Object.assign(given ?? {}, { content: "changed" });
      expect(await session.getItems()).toEqual([{ role: "user", content: "Why?" }]);
    });
  });

  test("is the list that it was told to be, whatever is done", async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }).map((count) => ({ type: "add", count }) as const) },
      { weight: 2, arbitrary: fc.constant({ type: "pop" } as const) },
      { weight: 1, arbitrary: fc.constant({ type: "clear" } as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const session: Session = palimpsestSession({ engine: createEngine({ model: "gpt-5.4" }), sessionId: "task" });
        let list: AgentInputItem[] = [];
        for (const each of steps) {
          if (each.type === "clear") {
            await session.clearSession();
            list = [];
          } else if (each.type === "pop") {
            expect(await session.popItem()).toEqual(list.pop());
          } else {
            const added = ITEMS.slice(0, each.count);
            await session.addItems([...added]);
            list.push(...added);
          }
          expect(await session.getItems()).toEqual(list);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("keeps the batches of two writers whole, and each item once", async () => {
    const stores = [0, 1].map(() => sqliteStore({ path: join(folder, "sessions.db") }));
    const sessions = stores.map((store) =>
      palimpsestSession({ engine: createEngine({ model: "gpt-5.4", store }), sessionId: "task" }),
    );
    const batches = sessions.flatMap((session, writer) =>
      Array.from({ length: 10 }, (_, batch) => ({
        session,
        items: [0, 1].map((at) => ({ role: "user", content: `${writer}.${batch}.${at}` })),
      })),
    );
    await Promise.all(batches.map(({ session, items }) => session.addItems(items)));
    const lists = await Promise.all(sessions.map((session) => session.getItems()));
    expect(lists[0]).toEqual(lists[1]);
    const texts = (lists[0] ?? []).map((item) => JSON.stringify(item));
    const pairs = Array.from({ length: texts.length / 2 }, (_, at) => texts.slice(2 * at, 2 * at + 2).join());
    const expected = batches.map(({ items }) => items.map((item) => JSON.stringify(item)).join());
    expect(pairs.toSorted()).toEqual(expected.toSorted());
    await Promise.all(stores.map((store) => store.close()));
  });
});
