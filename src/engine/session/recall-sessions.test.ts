import { describe, expect, test } from "vitest";
import { disturbStore } from "../../../test/support/intercepted-store.ts";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { talkOf, untyped } from "../../../test/support/sessions.ts";
import { engineOn } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";

/** The question, the answer that is found by it, what else Tom says, and what stands around. */
const SAME_EVERYWHERE = ["said7", "said6", "said5", "said1", "said3", "said9", "said8", "said4", "said2"];

await describeStores("recalling from all sessions", (makePlace) => {
  test("finds what was said in any of them, visible, hidden or rewound, word for word", async () => {
    const place = makePlace();
    const engine = engineOn(place.open());
    const [one, other] = [await engine.session("one"), await engine.session("other")];
    await one.append({ ...user("The harbour offset HARBOUR_OFFSET_MM is 4711."), id: "secret" }, ...talkOf(20, 390));
    await one.condense();
    await other.append(
      user("unrelated"),
      assistant(call("t1", "read_file", { path: "src/harbour.ts" })),
      user(result("t1", "export const HARBOUR_OFFSET_MM = 4712;")),
    );
    await other.rewind({ toVersion: 1 });
    const hits = await engineOn(place.open()).recall("HARBOUR_OFFSET_MM");
    const found = hits.map(({ sessionId, text }) => [sessionId, /471\d/.exec(text)?.[0]]);
    expect(found).toContainEqual(["one", "4711"]);
    expect(found).toContainEqual(["other", "4712"]);
    expect(hits.find(({ sessionId }) => sessionId === "one")?.messageId).toBe("secret");
  });

  test("looks at the messages with the words that tell something, not at those with the small words", async () => {
    const engine = engineOn(makePlace().open());
    const session = await engine.session("one");
    await session.append({ ...user("the zebra crossing"), id: "zebra" });
    await session.append(...Array.from({ length: 5 }, () => user("what did you do with it when they were there")));
    const hits = await engine.recall("what did they do with the zebra when you were there", { maxMessages: 1 });
    expect(hits.map(({ messageId }) => messageId)).toEqual(["zebra"]);
  });

  test("the same log gives the same hits in the same order on every store, also when it is opened again", async () => {
    const place = makePlace();
    const said = [
      ...["Anna: hello Tom", "Tom: hello Anna", "Anna: a fine day", "Tom: yes", "Anna: so", "Tom: well"],
      ...["Anna: where does your cousin live?", "Tom: in Tallinn, by the harbour", "Anna: mine keeps a kayak"],
    ];
    const messages = [...said, "Tom: the harbour is cold"].map((text, at) => ({ ...user(text), id: `said${at}` }));
    const first = await engineOn(place.open()).session("talk");
    await first.append(...messages, ...talkOf(20, 390));
    await first.condense();
    const reopened = await engineOn(place.open()).session("talk");
    for (const session of [first, reopened]) {
      const hits = await session.recall("where does Tom's cousin live", { budgetTokens: 160 });
      expect(hits.map(({ messageId }) => messageId)).toEqual(SAME_EVERYWHERE);
    }
    const ofAll = await engineOn(place.open()).recall("harbour", { budgetTokens: 400 });
    expect(ofAll.map(({ messageId }) => messageId).slice(0, 2)).toEqual(["said9", "said7"]);
  });

  test("finds nothing of a session that was deleted, and nothing for words that nobody said", async () => {
    const engine = engineOn(makePlace().open());
    await (await engine.session("one")).append(user("the zebra crossing"));
    expect(await engine.recall("zebra")).toHaveLength(1);
    expect(await engine.recall("giraffe")).toEqual([]);
    expect(await engine.recall("")).toEqual([]);
    await engine.deleteSession("one");
    expect(await engine.recall("zebra")).toEqual([]);
  });

  test("goes on where a session is deleted meanwhile", async () => {
    const place = makePlace();
    const store = disturbStore(place.open());
    const engine = engineOn(store);
    for (const id of ["one", "other"]) await (await engine.session(id)).append(user(`the zebra of ${id}`));
    store.disturbNext("read", () => engineOn(place.open()).deleteSession("other"));
    const hits = await engine.recall("zebra");
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(["one"]);
  });

  test("keeps to its budget, and looks at no more messages than asked for", async () => {
    const engine = engineOn(makePlace().open());
    const session = await engine.session("one");
    for (let index = 0; index < 10; index++)
      await session.append(user(`zebra number ${index}, ${"stripe ".repeat(50)}`));
    const all = await engine.recall("zebra", { budgetTokens: 10_000 });
    expect(all.length).toBeGreaterThan(5);
    expect((await engine.recall("zebra", { budgetTokens: 130 })).length).toBeLessThan(3);
    expect(await engine.recall("zebra", { maxMessages: 2, budgetTokens: 10_000 })).toHaveLength(2);
  });

  test.each([
    [5, {}],
    ["x", null],
    ["x", { maxMessages: 0 }],
    ["x", { budgetTokens: "many" }],
  ])("%j with %j is refused", async (query, options) => {
    const engine = engineOn(makePlace().open());
    await (await engine.session("one")).append(user("x"));
    await expect(async () => engine.recall(untyped(query), untyped(options))).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});

describe("without a store", () => {
  test("there is nothing to search, and that is said", async () => {
    await expect(engineOn(undefined).recall("x")).rejects.toMatchObject({ code: "invalid-configuration" });
  });
});
