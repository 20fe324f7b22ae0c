import { describe, expect, test } from "vitest";
import { good, handler, hangs } from "../../../test/support/handlers.ts";
import { user } from "../../../test/support/messages.ts";
import { openSession, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { createRecallIndex } from "../../core/index.ts";
import { createEngine, type ExpandedPage, modelCondenser, renderRecall } from "../../index.ts";

describe("recall", () => {
  test("finds what is hidden, word for word, and nothing that is visible anyway", async () => {
    const secret = user("The harbour offset HARBOUR_OFFSET_MM is 4711.");
    const [goal, ...rest] = talkOf(20, 390);
    const messages = [goal, secret, ...rest].flatMap((message) => (message === undefined ? [] : [message]));
    const { session } = await openSession({ condenser: modelCondenser(handler(good)) }, { messages });
    expect(await session.recall("HARBOUR_OFFSET_MM")).toEqual([]);
    await session.condense();
    const [hit] = await session.recall("which offset does the harbour have?", { budgetTokens: 300 });
    expect(hit?.text).toContain("HARBOUR_OFFSET_MM is 4711");
    expect(renderRecall(hit === undefined ? [] : [hit])).toContain(hit?.foldId);
    expect((await session.expand(hit?.foldId ?? "")).messages).toContainEqual(secret);
  });

  test("is expanded in pages that fit the window, and all of them together are what was hidden", async () => {
    const messages = toolLoop(60, 2_000);
    const { session } = await openSession({ contextWindow: 16_000 }, { messages });
    const { report } = await session.prepare();
    const whole = createRecallIndex(await session.log());
    const words = (value: unknown) => JSON.stringify(value).match(/apple|file \d+/g) ?? [];
    for (const foldId of report.foldIds) {
      const pages: ExpandedPage[] = [];
      do pages.push(await session.expand(foldId, { from: pages.at(-1)?.next }));
      while (pages.at(-1)?.next !== undefined);
      expect(pages.filter(({ tokens }) => tokens > 4_000)).toEqual([]);
      expect(words(pages)).toEqual(words(whole.expand(foldId)));
    }
    await expect(session.expand(report.foldIds[0] ?? "", { from: "x" })).rejects.toThrow(/options.from/);
    await expect(session.expand("no-such")).rejects.toMatchObject({ code: "unknown-fold" });
  });

  test("sees each new fold, and no longer what was restored", async () => {
    const { session } = await openSession({}, { messages: toolLoop(60, 300) });
    await session.prepare();
    const hits = await session.recall("file 3");
    expect(hits.length).toBeGreaterThan(0);
    for (const { foldId } of await session.folds()) await session.restore(foldId);
    expect(await session.recall("file 3")).toEqual([]);
  });
});

describe("close", () => {
  test("ends what is being condensed in the background, and the engine forgets the session", async () => {
    const model = handler(hangs);
    const engine = createEngine({
      model: "test-model",
      contextWindow: 10_000,
      maxTokens: 1_000,
      condenser: modelCondenser(model),
      configuration: { strategies: { background: true, primary: "llm" } },
    });
    const session = await engine.session("a", { messages: talkOf(18, 390) });
    await session.prepare();
    // Hooks are asked first, each in its own time.
    await untilSome(() => model.asked.length);
    session.close();
    expect(model.asked[0]?.call?.signal.aborted).toBe(true);
    const again = await engine.session("a", { messages: [user("new")] });
    expect(again).not.toBe(session);
    expect(await again.log()).toEqual([user("new")]);
  });
});

test("a saved log for a session that is open already is refused, not dropped", async () => {
  const engine = createEngine({ model: "test-model" });
  await engine.session("a", { messages: [user("first")] });
  await expect(engine.session("a", { messages: [user("other")] })).rejects.toThrow("has a log already");
  expect(await (await engine.session("a", { systemPrompt: "ignored" })).log()).toEqual([user("first")]);
});

async function untilSome(count: () => number): Promise<number> {
  for (let tries = 0; tries < 6_000 && count() === 0; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  return count();
}
