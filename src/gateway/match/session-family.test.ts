import { expect, test } from "vitest";
import { anthropicAdapter } from "../../adapters/anthropic/index.ts";
import { openaiChatAdapter } from "../../adapters/openai-chat/index.ts";
import { openaiResponsesAdapter } from "../../adapters/openai-responses/index.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createSessionPool } from "../sessions/session-pool.ts";
import { scopeOf } from "./scope.ts";
import { createSessionFamilies, parentOf } from "./session-family.ts";

const HEADERS = [anthropicAdapter, openaiResponsesAdapter, openaiChatAdapter].flatMap(
  ({ sessions }) => sessions?.headers ?? [],
);

/** The families that a gateway knows which starts after requests with these headers, or with a key for caches. */
async function familiesAfter(...requests: readonly (Readonly<Record<string, string>> | string)[]) {
  const store = memoryStore();
  const pool = createSessionPool(createEngine({ model: "gpt-5", store }), 64);
  const incidents: unknown[] = [];
  const start = () => createSessionFamilies({ store, pool, incident: (_, error) => incidents.push(error) });
  const families = start();
  for (const told of requests) {
    const [headers, key] = typeof told === "string" ? [{}, told] : [told, undefined];
    const scope = scopeOf(headers, key, { headers: HEADERS, bodyAgent: undefined });
    if (scope !== undefined) families.note(pool.conversation(scope.id), scope);
  }
  await pool.settled();
  expect(incidents).toEqual([]);
  return start();
}

const started = (parent: string, name: string) => ({ "x-session-id": name, "x-parent-session-id": parent });

test("a family is the agent that started a session, its other sub-agents, and theirs", async () => {
  const families = await familiesAfter(started("1", "x"), started("1", "y"), started("x", "z"), started("2", "x2"));
  const ids = ["session:1/x", "session:1/y", "session:1", "session:1~b", "session:x/z", "session:2/x2", "session:2"];
  const family = ids.slice(0, 5);
  for (const id of ["session:1/x", "session:1/y", "session:x/z"]) {
    expect(await families.of(id, ids)).toEqual(family.filter((each) => each !== id));
  }
  expect(await families.of("session:1", ids)).toEqual(["session:1/x", "session:1/y", "session:x/z"]);
  expect(await families.of("session:1~b", ids)).toEqual(["session:1/x", "session:1/y", "session:x/z"]);
  expect(await families.of("session:1/x~b", ids)).toEqual(["session:1/y", "session:1", "session:1~b", "session:x/z"]);
  expect(await families.of("session:2", ids)).toEqual(["session:2/x2"]);
});

test("sub-agents are of one family also where the one that started them is not known", async () => {
  const families = await familiesAfter(started("9", "x"), started("9", "y"), started("8", "x8"));
  expect(await families.of("session:9/x", ["session:9/x", "session:9/y", "session:8/x8"])).toEqual(["session:9/y"]);
});

test.each([
  ["share a key for caches", ["app", "app"], ["key:app", "key:app~aaa", "key:app~bbb"]],
  [
    "have names with a slash that a person chose",
    [{ "x-palimpsest-session": "acme/chat-1" }, { "x-palimpsest-session": "acme/chat-2" }],
    ["acme/chat-1", "acme/chat-2", "acme"],
  ],
  [
    "have names with a slash for which an agent names no parent",
    [{ "x-session-id": "acme/alice" }, { "x-session-id": "acme/bob" }],
    ["session:acme/alice", "session:acme/bob", "session:acme"],
  ],
  [
    "are of different agents",
    [started("1", "x"), { "session-id": "y", "x-codex-parent-thread-id": "1" }],
    ["session:1/x", "codex:1/y"],
  ],
  ["nobody has spoken in", [], ["session:1/x", "session:1"]],
])("sessions that only %s are no family", async (_, requests, ids) => {
  const families = await familiesAfter(...requests);
  for (const id of ids) expect(await families.of(id, ids)).toEqual([]);
});

test("names that lead to each other are no parents of anyone for ever", async () => {
  const families = await familiesAfter(started("x", "y"), started("y", "x"));
  expect(await families.of("session:x/y", ["session:x/y", "session:y/x"])).toEqual(expect.any(Array));
  expect(parentOf("a:x/y", new Set(["a:y/x"]))).toEqual({ parentId: "a:y/x", relation: "sub-agent" });
});

test("a parent is of the same agent", () => {
  expect(parentOf("codex:1/x", new Set(["claude-code:9/1"]))).toBeUndefined();
  expect(parentOf("acme/x", new Set(["claude-code:9/acme"]))).toBeUndefined();
});
