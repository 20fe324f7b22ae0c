import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { assistant, call, chat, log, result, user } from "../../../test/support/messages.ts";
import { talkOf, toolLoop, untyped } from "../../../test/support/sessions.ts";
import { engineOn, idsOf, seen, sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeDurableStores, describeSessions, describeStores } from "../../../test/support/stores.ts";
import type { Message, Session } from "../../index.ts";

/** A session with a condensation, a truncation, folded blocks, a rewind and its undoing. */
async function live(session: Session): Promise<void> {
  await session.append(...talkOf(20, 390));
  await session.condense();
  await session.append(...toolLoop(40, 300).map((message, index) => ({ ...message, id: `t${index}` })));
  await session.prepare();
  await session.rewind({ toMessage: "t20" });
  await session.prepare();
  await session.mark("t0", { important: true });
  await session.rewind({ undo: true });
  await session.prepare();
}

await describeStores("a session that is opened again", (makePlace) => {
  test("is byte for byte what it was, by another engine and another handle", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await live(session);
    const before = await seen(session);
    expect(before.folds).toContain("condense");
    expect(await seen(await sessionOn(place.open()))).toEqual(before);
    session.close();
    expect(await seen(await sessionOn(place.open()))).toEqual(before);
  });

  test("prepares the same view as the one that stayed open", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await live(session);
    const { messages } = await session.prepare();
    const again = await (await sessionOn(place.open())).prepare();
    expect(JSON.stringify(again.messages)).toBe(JSON.stringify(messages));
  });

  test("has what was appended as soon as the append resolves, one after the other and all at once", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    const reader = await sessionOn(place.open());
    for (const message of chat(5)) {
      await session.append(message);
      expect((await reader.log()).at(-1)).toEqual(message);
    }
    const rest = chat(40).slice(5);
    await Promise.all(rest.map((message) => session.append(message)));
    expect(await idsOf(await sessionOn(place.open()))).toEqual(chat(40).map(({ id }) => id));
  });

  test("is listed, the one written to last first", async () => {
    const place = makePlace();
    const engine = engineOn(place.open());
    for (const id of ["a", "b", "c"]) await (await engine.session(id)).append(user(id));
    await (await engine.session("a")).append(user("more"));
    const sessions = await engineOn(place.open()).sessions();
    expect(sessions.map(({ id, version }) => [id, version])).toEqual([
      ["a", 2],
      ["c", 1],
      ["b", 1],
    ]);
    expect(await engine.sessions({ limit: 1 })).toHaveLength(1);
  });
});

await describeDurableStores("a session in another process", (makePlace) => {
  test("is byte for byte the same, and what that process appends is seen here", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await live(session);
    const before = await seen(session);
    const script = `${place.openingLines}
      import { seen, sessionOn } from ${JSON.stringify(new URL("../../../test/support/stored-sessions.ts", import.meta.url).href)};
      const session = await sessionOn(store);
      console.log(JSON.stringify(await seen(session)));
      await session.append({ role: "user", content: "from there", id: "there" });
      await store.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(JSON.parse(stdout)).toEqual(before);
    expect((await session.log()).at(-1)).toEqual({ role: "user", content: "from there", id: "there" });
  });
});

const ODD: readonly (readonly [name: string, messages: readonly Message[]])[] = [
  [
    "halves of surrogate pairs",
    [user("\ud800 and \udfff"), assistant(call("t\ud800", "\udc00", { "\ud83d": "\ud83d" }))],
  ],
  ["NUL and other control characters", [user("a\u0000b\u0001\u2028\u007f\ufeff"), { ...user("x"), id: "\u0000" }]],
  [
    "blocks and fields that nobody knows",
    [untyped({ role: "user", content: [{ type: "odd", deep: [{ a: [null, -1.5e-9] }] }], more: { x: [] } })],
  ],
  [
    "keys with a meaning of their own",
    [untyped(JSON.parse('{"role":"user","content":"x","__proto__":{"a":1},"constructor":2,"7":3}'))],
  ],
  ["no ids", [user("same"), user("same"), assistant("same")]],
  ["the same id twice", log({ ...user("one"), id: "x" }, { ...user("two"), id: "x" }, { ...user("two"), id: "x" })],
  ["empty texts", [user(""), assistant({ type: "text", text: "" }), user(result("none", ""))]],
  [
    "times that go backwards",
    [
      { ...user("late"), ts: 9e15 },
      { ...user("early"), ts: -1.5 },
    ],
  ],
];

await describeDurableStores("a message of five megabytes", (makePlace) => {
  test("comes back as it was", async () => {
    const place = makePlace();
    const message = user(result("t", "0123456789abcdef ".repeat(310_000)));
    await (await sessionOn(place.open())).append(message);
    const [read] = await (await sessionOn(place.open())).log();
    expect(JSON.stringify(read) === JSON.stringify(message)).toBe(true);
  });
});

await describeSessions("a message", (makePlace) => {
  test.each(ODD)("with %s comes back as it was", async (_, messages) => {
    const store = makePlace().open();
    const session = await sessionOn(store);
    await session.append(...messages);
    await session.append(user("last"));
    const expected = JSON.stringify([...messages, user("last")]);
    expect(JSON.stringify(await session.log())).toBe(expected);
    if (store !== undefined) expect(JSON.stringify(await (await sessionOn(store)).log())).toBe(expected);
  });

  test("cannot be changed afterwards by who appended it, nor by who reads it", async () => {
    const session = await sessionOn(makePlace().open());
    const message: { role: "user"; content: string } = { role: "user", content: "said" };
    await session.append(message);
    message.content = "never said";
    const [read] = await session.log();
    expect(() => Object.assign(read ?? {}, { content: "never said" })).toThrow(TypeError);
    expect(await session.log()).toEqual([user("said")]);
  });
});

await describeStores("a message for a store", (makePlace) => {
  test("loses fields that are undefined, here and where it is read again", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(untyped({ ...user("x"), id: undefined, odd: { inner: undefined, kept: [undefined] } }));
    const expected = [{ role: "user", content: "x", odd: { kept: [null] } }];
    expect(await session.log()).toStrictEqual(expected);
    expect(await (await sessionOn(place.open())).log()).toStrictEqual(expected);
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;
  let deep: unknown = "end";
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  test.each([
    ["a circle", { ...user("x"), circle }],
    ["a BigInt", user({ type: "odd", big: 1n })],
    ["nesting without end", assistant(call("t", "f", deep))],
    ["another idea of its own JSON", { ...user("x"), toJSON: () => undefined }],
    ["a JSON that is no message", { ...user("x"), toJSON: () => "x" }],
    [
      "a JSON that throws",
      user({
        type: "odd",
        toJSON: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("with %s is refused together with its batch, and nothing is written", async (_, message) => {
    const place = makePlace();
    const store = place.open();
    const session = await sessionOn(store);
    await session.append(user("first"));
    const appending = session.append(user("before"), untyped(message), user("after"));
    await expect(appending).rejects.toMatchObject({ code: "invalid-message" });
    expect(await store.find("task")).toMatchObject({ version: 1 });
    expect(await session.log()).toEqual([user("first")]);
    await session.append(user("second"));
    expect(await (await sessionOn(place.open())).log()).toEqual([user("first"), user("second")]);
  });
});

describe("without a store", () => {
  test("what JSON cannot hold is kept as it is", async () => {
    const session = await sessionOn(undefined);
    const odd: Message = user({ type: "odd", big: 1n });
    await session.append(odd);
    expect(await session.log()).toEqual([odd]);
  });
});
