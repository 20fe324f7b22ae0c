import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import { toolLoop } from "../../../test/support/long-talk.ts";
import { assistant, chat, tag, user } from "../../../test/support/messages.ts";

let running: ApiUnderTest;
beforeEach(async () => {
  running = await startApi();
});
afterEach(() => running.close());

interface Hit {
  readonly where: string;
  readonly sessionId: string;
  readonly messageId?: string;
  readonly text: string;
  readonly tokens: number;
}

async function recall(path: string): Promise<readonly Hit[]> {
  const { status, body } = await running.get(path);
  expect(status).toBe(200);
  return body.hits;
}

function said(id: string, text: string) {
  return tag(user(text), { id });
}

test("finds what folds hide first, then what was set aside, then what branches hold", async () => {
  const session = await running.engine.session("a");
  // What the person asks first stays visible.
  const secret = tag(assistant("The lighthouse password is ALPHA-77."), { id: "s1" });
  await session.append(said("s0", "Look around."), secret, ...toolLoop(60, 300));
  await session.condense();
  await session.append(said("s2", "The lighthouse keeper is called BRAVO-88."));
  const version = await session.version();
  await running.send("POST", "/sessions/a/rewind", { toVersion: version - 1 });
  const branch = await session.branch("a~other");
  await branch.append(said("s3", "The lighthouse stands on CHARLIE-99."));
  const [first, ...others] = await recall("/sessions/a/recall?q=lighthouse");
  expect(first).toMatchObject({ where: "hidden", sessionId: "a", messageId: "s1" });
  expect(first?.text).toContain("ALPHA-77");
  // Beside what matches stand the messages around it, which are hidden as well.
  const apart = others.filter(({ where }) => where !== "hidden");
  expect(others.slice(0, -apart.length).every(({ where }) => where === "hidden")).toBe(true);
  const byMessage = apart.toSorted((one, other) => ((one.messageId ?? "") < (other.messageId ?? "") ? -1 : 1));
  expect(byMessage).toMatchObject([
    { where: "rewound", sessionId: "a", messageId: "s2", text: expect.stringContaining("BRAVO-88") },
    { where: "branch", sessionId: "a~other", messageId: "s3", text: expect.stringContaining("CHARLIE-99") },
  ]);
});

test("what folds hide leaves room for what was set aside, however much of it matches", async () => {
  const session = await running.engine.session("a");
  const hidden = Array.from({ length: 120 }, (_, at) =>
    assistant(`Remark ${at} on the lighthouse: ${"it is tall. ".repeat(30)}`),
  );
  await session.append(said("s0", "Look around."), ...hidden.flatMap((reply) => [reply, user("Go on.")]));
  await session.condense();
  await session.append(said("s2", "The lighthouse keeper is called BRAVO-88."));
  await running.send("POST", "/sessions/a/rewind", { toVersion: (await session.version()) - 1 });
  const hits = await recall("/sessions/a/recall?q=lighthouse%20keeper&budget=1500");
  expect(hits.filter(({ where }) => where === "hidden").length).toBeGreaterThan(3);
  expect(hits.at(-1)).toMatchObject({ where: "rewound", messageId: "s2" });
  expect(hits.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(1_500);
});

test("finds nothing that is visible anyway, however often branches repeat it", async () => {
  const session = await running.engine.session("a");
  const visible = Array.from({ length: 30 }, (_, index) => said(`v${index}`, `The lighthouse, remark ${index}.`));
  await session.append(...visible, assistant("I see."), user("lighthouse without an id"));
  await session.branch("a~1");
  expect(await recall("/sessions/a/recall?q=lighthouse")).toEqual([]);
  await session.append(said("gone", "The lighthouse and nothing else: DELTA-11."));
  await session.rewind({ toMessage: "gone", includeMessage: false });
  expect((await recall("/sessions/a/recall?q=lighthouse")).map(({ messageId }) => messageId)).toEqual(["gone"]);
});

test("a branch finds what it parted from; other sessions stay apart", async () => {
  const session = await running.engine.session("claude-code:1");
  await session.append(said("old", "The lighthouse password is ALPHA-77."));
  await (await running.engine.session("claude-code:1~c0ffee01")).append(...chat(2));
  await (await running.engine.session("claude-code:12")).append(said("other", "Another lighthouse."));
  const hits = await recall(`/sessions/${encodeURIComponent("claude-code:1~c0ffee01")}/recall?q=lighthouse`);
  expect(hits).toMatchObject([{ where: "branch", sessionId: "claude-code:1", messageId: "old" }]);
  expect((await recall("/recall?q=lighthouse")).map(({ messageId }) => messageId).toSorted()).toEqual(["old", "other"]);
});

test("conversations that only share a key for caches are searched apart, each with what was rewound in it", async () => {
  const alice = await running.engine.session("key:app");
  await alice.append(said("a", "The lighthouse password is ALPHA-77."), user("bye"));
  const bob = await running.engine.session("key:app~bob");
  await bob.append(user("hello"), said("b", "The lighthouse keeper is called BRAVO-88."));
  await bob.rewind({ toVersion: 1 });
  expect(await recall("/sessions/key:app/recall?q=lighthouse")).toEqual([]);
  const hits = await recall("/sessions/key:app~bob/recall?q=lighthouse");
  expect(hits).toMatchObject([{ where: "rewound", sessionId: "key:app~bob", messageId: "b" }]);
});

test("names with the mark of branches that a person chose make no branches", async () => {
  for (const name of ["acme", "acme~alice", "acme~bob"]) {
    await (await running.engine.session(name)).append(said(name, `The lighthouse password of ${name}.`));
  }
  for (const name of ["acme", "acme~alice", "acme~bob"]) {
    expect(await recall(`/sessions/${name}/recall?q=lighthouse`)).toEqual([]);
  }
});

test("finds what was set apart while the store did not answer, also of a key for caches", async () => {
  await (await running.engine.session("key:app")).append(user("hello"));
  await (await running.engine.session("key:app~unsaved-1")).append(
    said("apart", "The lighthouse password is ALPHA-77."),
  );
  expect(await recall("/sessions/key:app/recall?q=lighthouse")).toMatchObject([
    { where: "branch", sessionId: "key:app~unsaved-1", messageId: "apart" },
  ]);
});

test("a branch that is damaged is left out", async () => {
  const session = await running.engine.session("a");
  await session.append(user("hello"), said("gone", "The lighthouse password is ALPHA-77."));
  await session.rewind({ toVersion: 1 });
  const { key } = await running.store.open("a~0badc0de");
  await running.store.append(key, [{ body: "no record", terms: ["lighthouse"] }]);
  expect(await recall("/sessions/a/recall?q=lighthouse")).toMatchObject([{ where: "rewound", messageId: "gone" }]);
});

test("finds messages without an id that were set aside", async () => {
  const session = await running.engine.session("a");
  await session.append(user("hello"), user("The lighthouse password is ALPHA-77."));
  await session.rewind({ toVersion: 1 });
  const [hit] = await recall("/sessions/a/recall?q=lighthouse");
  expect(hit).toMatchObject({ where: "rewound", text: expect.stringContaining("ALPHA-77") });
  expect(hit?.messageId).toBeUndefined();
});

test("stays within the budget over all places together", async () => {
  const session = await running.engine.session("a");
  const remark = (index: number) => said(`s${index}`, `Lighthouse remark ${index}: ${`stone${index} `.repeat(40)}`);
  await session.append(...Array.from({ length: 6 }, (_, index) => remark(index)), ...toolLoop(60, 300));
  await session.condense();
  await session.append(remark(10), remark(11));
  await session.rewind({ toMessage: "s10", includeMessage: false });
  const all = await recall("/sessions/a/recall?q=lighthouse&budget=20000");
  expect(new Set(all.map(({ where }) => where))).toEqual(new Set(["hidden", "rewound"]));
  const some = await recall("/sessions/a/recall?q=lighthouse&budget=500");
  expect(some.length).toBeGreaterThan(0);
  expect(some.length).toBeLessThan(all.length);
  expect(some.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(500);
});

test("answers a query in a body as one in the address", async () => {
  const session = await running.engine.session("a");
  await session.append(user("hello"), said("gone", "The lighthouse password is ALPHA-77."));
  await session.rewind({ toVersion: 1 });
  const { body } = await running.send("POST", "/sessions/a/recall", { q: "lighthouse password?", budget: 300 });
  expect(body).toEqual((await running.get("/sessions/a/recall?q=lighthouse%20password%3F&budget=300")).body);
  expect(body.hits).toHaveLength(1);
});
