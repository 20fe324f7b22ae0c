/** Recall with an embedder: what it adds, and that nothing it does wrong is in the way of a search by words. */
import { describe, expect, test } from "vitest";
import { talkOf } from "../../../test/support/sessions.ts";
import { createRecallIndex } from "../../core/index.ts";
import { createEngine, type Embedder, type EngineOptions, type Message } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createCompareMeaning } from "./compare-meaning.ts";

const IDEAS = [
  ["beacon", "lighthouse"],
  ["dark", "failure"],
];

/** Counts ideas instead of words, and remembers what it was asked. */
function ideas(): Embedder & { readonly asked: { readonly kind: string; readonly texts: readonly string[] }[] } {
  const asked: { readonly kind: string; readonly texts: readonly string[] }[] = [];
  return {
    name: "ideas",
    asked,
    embed: async (texts, { kind }) => {
      asked.push({ kind, texts });
      return texts.map((text) => [...IDEAS.map((idea) => idea.filter((word) => text.includes(word)).length), 0.1]);
    },
  };
}

const SAID: readonly Message[] = [
  { role: "user", content: "Keep the record." },
  { role: "assistant", content: "The beacon went dark at noon." },
  { role: "user", content: "What of the ferry?" },
  { role: "assistant", content: "The ferry came at three, with a report of the failure of its engine." },
  ...talkOf(60, 40).slice(1),
];

async function folded(options: Partial<EngineOptions>) {
  const engine = createEngine({ model: "claude-sonnet-4-5", ...options });
  const session = await engine.session("task", { messages: SAID });
  await session.condense();
  return { engine, session };
}

describe("recall with an embedder", () => {
  test("finds what says the same in other words, and before what shares a word by chance", async () => {
    const { session } = await folded({ embedder: ideas() });
    const { session: byWords } = await folded({});
    expect((await byWords.recall("lighthouse")).map(({ text }) => text)).toEqual([]);
    expect((await session.recall("lighthouse"))[0]?.text).toBe("The beacon went dark at noon.");
    expect((await byWords.recall("lighthouse failure"))[0]?.text).toContain("ferry");
    expect((await session.recall("lighthouse failure")).map(({ text }) => text)).toContain(
      "The beacon went dark at noon.",
    );
  });

  test("asks for each passage once, and tells queries from passages", async () => {
    const embedder = ideas();
    const { session } = await folded({ embedder });
    await session.recall("lighthouse");
    const passages = embedder.asked.filter(({ kind }) => kind === "passage").flatMap(({ texts }) => texts);
    expect(new Set(passages).size).toBe(passages.length);
    embedder.asked.length = 0;
    await session.recall("beacon");
    expect(embedder.asked).toEqual([{ kind: "query", texts: ["beacon"] }]);
  });

  test("searches all sessions by it, too", async () => {
    const store = memoryStore();
    const engine = createEngine({ model: "claude-sonnet-4-5", store, embedder: ideas() });
    await engine.session("one", { messages: [{ role: "user", content: "A failure of the beacon." }] });
    await engine.session("two", { messages: [{ role: "user", content: "A failure of the engine." }] });
    const hits = await engine.recall("lighthouse failure");
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(["one", "two"]);
  });
});

describe("an embedder that", () => {
  const faults: Readonly<Record<string, Embedder["embed"]>> = {
    throws: () => {
      throw new Error("no vectors today");
    },
    rejects: async () => Promise.reject(new Error("no vectors today")),
    "returns too few": async () => [],
    "returns no list": async () => JSON.parse("null"),
    "returns no numbers": async (texts) => texts.map(() => [Number.NaN]),
    "returns zeros": async (texts) => texts.map(() => [0, 0]),
    "returns vectors of several lengths": async (texts, { kind }) => texts.map(() => (kind === "query" ? [1] : [1, 1])),
  };

  test.each(Object.entries(faults))("%s is passed over and reported: words alone decide", async (_, embed) => {
    const { engine, session } = await folded({ embedder: { name: "faulty", embed } });
    const { session: byWords } = await folded({});
    expect((await session.recall("failure engine")).map(({ text }) => text)).toEqual(
      (await byWords.recall("failure engine")).map(({ text }) => text),
    );
    expect(engine.getHistory()).toContainEqual(expect.objectContaining({ type: "fault", plugin: "faulty" }));
  });

  test("hangs is given up, and told so", async () => {
    let signal: AbortSignal | undefined;
    const reported: unknown[] = [];
    const compare = createCompareMeaning({
      embedder: {
        name: "hanging",
        embed: (_, options) => {
          signal = options.signal;
          return new Promise(() => {});
        },
      },
      onFault: (fault) => reported.push(fault),
      timeoutMs: 1,
    });
    expect(await compare(createRecallIndex(SAID, { scope: "all" }), "ferry")).toBeUndefined();
    expect(signal?.aborted).toBe(true);
    expect(reported).toHaveLength(1);
  });

  test("is none is refused", () => {
    for (const embedder of [null, 7, { name: "", embed: async () => [] }, { name: "x" }]) {
      expect(() =>
        createEngine({ model: "claude-sonnet-4-5", embedder: JSON.parse(JSON.stringify(embedder)) }),
      ).toThrow(/options\.embedder/);
    }
  });
});
