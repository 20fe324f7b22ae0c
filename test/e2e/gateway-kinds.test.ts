/** Sub-agents are children of the session that started them, and each kind of request has its own budget. */
import { describe, expect, test } from "vitest";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";

const BUDGETS = { "sub-agent": 9_000, side: 3_000 };

const sizesOf = ({ server }: GatewayWorld, from = 0) =>
  server.requests.slice(from).map(({ promptTokens }) => promptTokens);

async function treeOf({ gateway }: GatewayWorld) {
  const { sessions } = (await (await fetch(`${gateway.url}/palimpsest/api/session-tree`)).json()) as {
    readonly sessions: readonly { readonly id: string; readonly parentId?: string; readonly relation?: string }[];
  };
  return sessions.map(({ id, parentId, relation }) => [id, parentId, relation]);
}

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test("a sub-agent keeps to its budget, the agent that started it to the window, and the API shows the tree", async () => {
    const world = await startWorld({ gateway: { budgets: BUDGETS } });
    const main = open({ url: world.url, headers: { "x-session-id": "ses_a" } });
    main.say("Read all files.");
    await work(main, { name: "main", turns: 20 });
    expect(Math.max(...sizesOf(world))).toBeGreaterThan(12_000);
    const before = world.server.requests.length;
    const child = open({ url: world.url, headers: { "x-session-id": "ses_b", "x-parent-session-id": "ses_a" } });
    child.say("Read the notes.");
    await work(child, { name: "child", turns: 20 });
    expect(Math.max(...sizesOf(world, before))).toBeLessThanOrEqual(BUDGETS["sub-agent"]);
    const grandchild = open({ url: world.url, headers: { "x-session-id": "ses_c", "x-parent-session-id": "ses_b" } });
    grandchild.say("Read one note.");
    await work(grandchild, { name: "grandchild", turns: 1 });
    expect(invalidRequests(world.server)).toEqual([]);
    expect(world.incidents).toEqual([]);
    expect((await treeOf(world)).toSorted()).toEqual([
      ["session:ses_a", undefined, undefined],
      ["session:ses_a/ses_b", "session:ses_a", "sub-agent"],
      ["session:ses_b/ses_c", "session:ses_a/ses_b", "sub-agent"],
    ]);
  });
});

/** How agents say who started whom, each on its own API. */
const STARTED: readonly {
  readonly agent: string;
  readonly api: string;
  readonly main: Readonly<Record<string, string>>;
  readonly child: Readonly<Record<string, string>>;
  readonly tree: readonly (readonly (string | undefined)[])[];
}[] = [
  {
    agent: "Claude Code",
    api: "anthropic",
    main: { "x-claude-code-session-id": "abc" },
    child: { "x-claude-code-session-id": "abc", "x-claude-code-agent-id": "a1" },
    tree: [
      ["claude-code:abc", undefined, undefined],
      ["claude-code:abc/a1", "claude-code:abc", "sub-agent"],
    ],
  },
  {
    agent: "Codex",
    api: "openai-responses",
    main: { "session-id": "s", "thread-id": "t1" },
    child: { "session-id": "s", "thread-id": "t2", "x-codex-parent-thread-id": "t1" },
    tree: [
      ["codex:t1", undefined, undefined],
      ["codex:t1/t2", "codex:t1", "sub-agent"],
    ],
  },
  {
    agent: "opencode",
    api: "openai-chat",
    main: { "x-session-id": "ses_a" },
    child: { "x-session-id": "ses_b", "x-parent-session-id": "ses_a" },
    tree: [
      ["session:ses_a", undefined, undefined],
      ["session:ses_a/ses_b", "session:ses_a", "sub-agent"],
    ],
  },
];

test.each(STARTED)("a sub-agent of $agent is a child of the session that started it", async ({ api, ...told }) => {
  const world = await startWorld({ gateway: { budgets: BUDGETS } });
  const kind = SDK_KINDS.find((each) => each.api === api) ?? expect.fail();
  const main = kind.open({ url: world.url, headers: told.main });
  main.say("Read all files.");
  await work(main, { name: "main", turns: 2 });
  const before = world.server.requests.length;
  const child = kind.open({ url: world.url, headers: told.child });
  child.say("Read the notes.");
  await work(child, { name: "child", turns: 12 });
  expect(Math.max(...sizesOf(world, before))).toBeLessThanOrEqual(BUDGETS["sub-agent"]);
  await work(main, { name: "main", turns: 1, outputsBefore: 100 });
  expect((await treeOf(world)).toSorted()).toEqual(told.tree);
  expect([world.incidents, invalidRequests(world.server)]).toEqual([[], []]);
});

test("what an agent asks on the side keeps to the budget of side calls, unless the request names another", async () => {
  const world = await startWorld({ gateway: { budgets: BUDGETS } });
  const main = SDK_KINDS[0]?.open({ url: world.url, headers: { "x-claude-code-session-id": "abc" } });
  main?.say("Read all files.");
  if (main !== undefined) await work(main, { name: "main", turns: 3 });
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const content = `Write a title for this: ${"a lamp burns in the harbour. ".repeat(1_500)}`;
    const reply = await fetch(`${world.url()}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "test",
        "anthropic-version": "2023-06-01",
        "x-claude-code-session-id": "abc",
        ...headers,
      },
      body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content }] }),
    });
    await reply.text();
    return [reply.status, world.server.requests.at(-1)?.promptTokens ?? 0] as const;
  };
  const [status, tokens] = await ask({});
  expect(status).toBe(200);
  expect(tokens).toBeLessThanOrEqual(BUDGETS.side);
  expect((await ask({ "x-palimpsest-budget": "6000" }))[1]).toBeGreaterThan(BUDGETS.side);
});
