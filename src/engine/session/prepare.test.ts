import { describe, expect, test } from "vitest";
import { FAILING, good, handler } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, prose, strategy, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { countContentTokens } from "../../core/index.ts";
import {
  type Content,
  countMessagesTokens,
  type EngineOptions,
  type Message,
  modelCondenser,
  type Session,
} from "../../index.ts";

const FULL = talkOf(20, 390);

/** Appends one message after the other and prepares each time; gives every view as JSON, message by message. */
async function live(session: Session, messages: readonly Message[]) {
  const turns: { readonly view: readonly string[]; readonly foldIds: readonly string[] }[] = [];
  for (const message of messages) {
    await session.append(message);
    const { messages: view, report } = await session.prepare();
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    turns.push({ view: view.map((each) => JSON.stringify(each)), foldIds: report.foldIds });
  }
  return turns;
}

describe("a prepared view", () => {
  test("fits and is valid at every turn, whatever the strategy", async () => {
    const messages = [...talkOf(30, 390), ...toolLoop(30, 390).slice(1)];
    const options: readonly Partial<EngineOptions>[] = [
      {},
      { condenser: modelCondenser(handler(good)) },
      { condenser: modelCondenser(handler(good)), configuration: { strategies: { primary: "llm" } } },
      { condenser: modelCondenser(handler(FAILING.throws)) },
      { contextWindow: 3_000, maxTokens: 300 },
    ];
    for (const each of options) {
      const { session } = await openSession(each, { systemPrompt: prose(200, "You help") });
      const turns = await live(session, messages);
      expect(turns.flatMap(({ foldIds }) => foldIds).length).toBeGreaterThan(1);
      expect(await problemsOf(session, messages)).toEqual([]);
    }
  });

  test("is the one before and what was appended, but for the turns that folded", async () => {
    const { session } = await openSession({ condenser: modelCondenser(handler(good)) });
    const turns = await live(session, talkOf(60, 390));
    const moved = turns.filter(({ view, foldIds }, index) => {
      const before = turns[index - 1]?.view ?? [];
      return foldIds.length === 0 && JSON.stringify(view.slice(0, before.length)) !== JSON.stringify(before);
    });
    expect(moved).toEqual([]);
    const folding = turns.filter(({ foldIds }) => foldIds.length > 0).length;
    expect([folding > 1, folding < 10]).toEqual([true, true]);
  });

  test("stays the same where system prompt and tools leave no room for what binds the agent", async () => {
    const calls = ["one", "two", "three", "four"];
    const messages = log(
      user(prose(2_000, "Never touch .env")),
      user(prose(75, "Look at it")),
      assistant(call("zero")),
      user(result("zero", prose(300, "file"))),
      assistant(...calls.map((id) => call(id))),
      user(...calls.map((id) => result(id, "done"))),
    );
    let folded = 0;
    for (let room = 160; room < 700; room += 10) {
      const { session } = await openSession({}, { messages, systemPrompt: prose(10_000 - room, "You help") });
      const first = await session.prepare().catch(() => undefined);
      if (first === undefined) continue;
      folded += first.report.foldIds.length > 0 ? 1 : 0;
      const again = await session.prepare();
      expect({ room, foldIds: again.report.foldIds }).toEqual({ room, foldIds: [] });
      expect(again.messages).toEqual(first.messages);
    }
    expect(folded).toBeGreaterThan(10);
  });

  test("stays the same when nothing was appended, also right after a fold and over the threshold", async () => {
    const small = strategy("s", { condense: ({ messages }) => hideOne(messages) });
    const configuration = { validation: { enabled: false }, thresholds: { global: 5 } };
    const { session } = await openSession({ condenser: small, configuration }, { messages: FULL });
    const first = await session.prepare();
    const second = await session.prepare();
    expect(first.report.foldIds).toHaveLength(1);
    expect(second.report.foldIds).toEqual([]);
    expect(JSON.stringify(second.messages)).toBe(JSON.stringify(first.messages));
  });

  test("stays the same also where it fits only with less kept free for the reply", async () => {
    const small = strategy("s", { condense: ({ messages }) => hideOne(messages) });
    const configuration = { validation: { enabled: false }, strategies: { fallback: "error" } } as const;
    const { session } = await openSession({ condenser: small, configuration }, { messages: talkOf(21, 415) });
    const first = await session.prepare();
    const second = await session.prepare();
    expect(first.report.promptTokens).toBeGreaterThan(8_000);
    expect([first.report.foldIds.length, second.report.foldIds.length]).toEqual([1, 0]);
    expect(JSON.stringify(second.messages)).toBe(JSON.stringify(first.messages));
  });

  test("replays what a fold showed: the same bytes in every later view", async () => {
    const { session } = await openSession({});
    const turns = await live(session, toolLoop(60, 300));
    const cleared = turns.findIndex(({ foldIds }) => foldIds.length > 0);
    const stub = turns[cleared]?.view.find((message) => message.includes("[fold") || message.includes("fold clear-"));
    expect(stub).toBeDefined();
    const holding = turns.slice(cleared).filter(({ view }) => stub !== undefined && view.includes(stub));
    expect(holding.length).toBeGreaterThan(5);
  });

  test("counts only what is new: a log that fits is not looked at again", async () => {
    let counted = 0;
    const countTokens = (content: Content) => {
      counted += 1;
      return countContentTokens(content);
    };
    const { session } = await openSession({ contextWindow: 1_000_000, countTokens }, { messages: talkOf(1_000, 20) });
    await session.prepare();
    expect(counted).toBe(1_000);
    await session.prepare();
    expect(counted).toBe(1_000);
    await session.append(user("one more"));
    await session.prepare();
    session.observe({ inputTokens: 30_000 });
    await session.append(user("and another"));
    await session.prepare();
    expect(counted).toBe(1_002);
  });

  test("is made at every turn of a conversation of thousands of messages", async () => {
    const messages = talkOf(5_000, 20);
    const { session } = await openSession(
      { contextWindow: 20_000, condenser: strategy("s") },
      { messages: messages.slice(0, 4_000) },
    );
    await session.prepare();
    for (const message of messages.slice(4_000)) {
      await session.append(message);
      await session.prepare();
    }
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("fits also where each message costs far more than its text", async () => {
    const messages = Array.from({ length: 700 }, (_, index) => (index % 2 === 0 ? user("a") : assistant("b")));
    const { session } = await openSession({ contextWindow: 4_000, maxTokens: 400 }, { messages });
    const { report } = await session.prepare();
    expect(report.prevContextTokens).toBe(700 * 5);
    expect(report.promptTokens).toBeLessThanOrEqual(3_200);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("fits also where one message alone is larger than the window", async () => {
    const messages = [user("Read it."), assistant(call("t1")), user(result("t1", prose(200_000, "file")))];
    const { session } = await openSession({ condenser: modelCondenser(handler(good)) }, { messages });
    const { report, messages: view } = await session.prepare();
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(countMessagesTokens(view)).toBeGreaterThan(1_000);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("is reported with what was done: sizes, share of the window, folds and cost", async () => {
    const { session } = await openSession({ condenser: strategy("s") }, { messages: FULL });
    const { report } = await session.prepare();
    expect(report).toEqual({
      promptTokens: expect.any(Number),
      prevContextTokens: expect.any(Number),
      contextWindow: 10_000,
      allowedTokens: 8_000,
      foldsAtTokens: 7_500,
      usedPercent: report.promptTokens / 100,
      prevUsedPercent: report.prevContextTokens / 100,
      foldIds: ["s-fold"],
      cost: 0.5,
      warnings: [],
    });
    expect(report.promptTokens).toBeLessThan(report.prevContextTokens / 2);
  });
});

describe("what cannot fit", () => {
  const tools = [{ name: "read", description: prose(11_000, "Reads") }];

  test("as system prompt and tools are too large, is refused with the numbers; nothing is folded or asked", async () => {
    const model = handler(good);
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: FULL, tools });
    await expect(session.prepare()).rejects.toMatchObject({
      code: "cannot-fit",
      message: expect.stringMatching(
        /^System prompt and tools take 110\d\d tokens, but the longest prompt is 10000\. Shorten/,
      ),
    });
    expect(await session.log()).toEqual(FULL);
    expect([model.asked, await session.events()]).toEqual([[], []]);
    session.useModel({ model: "claude-sonnet-4-5" });
    expect((await session.prepare()).messages).toEqual(FULL);
  });

  test("is not what a wrong report says, but what we count", async () => {
    const { session } = await openSession(
      { contextWindow: 6_000, maxTokens: 2_000 },
      { systemPrompt: "You help. ".repeat(1_000) },
    );
    await session.append(user("go"));
    await session.prepare();
    session.observe({ inputTokens: 5_500 });
    await session.append(assistant("step"), user("go on"));
    const { messages, report } = await session.prepare();
    expect(messages.at(-1)).toEqual(user("go on"));
    expect(report.promptTokens).toBeLessThan(4_000);
  });

  test("is not a reply that is allowed the whole window: it keeps half of what is free", async () => {
    const { session } = await openSession({ contextWindow: 5_000, maxTokens: 4_600 }, { messages: FULL });
    const { report } = await session.prepare();
    const overhead = 5_000 - (5_000 - report.allowedTokens) / 0.6;
    expect(overhead).toBeGreaterThanOrEqual(0);
    expect(overhead).toBeLessThan(50);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
  });

  test("as nothing is left to fold, is refused, and the log is as it was", async () => {
    const messages = [...FULL, user("now")];
    const { session } = await openSession({}, { messages, systemPrompt: prose(9_960, "You help") });
    await expect(session.prepare()).rejects.toMatchObject({
      code: "cannot-fit",
      message: expect.stringMatching(
        /^The prompt has \d+ tokens with all folded that can be \(system prompt and tools take 99\d\d/,
      ),
    });
    expect(await session.log()).toEqual(messages);
    expect(await session.folds()).toEqual([]);
  });

  test("keeps a summary that was made, for it is paid for", async () => {
    const { session } = await openSession(
      { condenser: strategy("s"), configuration: { strategies: { fallback: "error" } } },
      { messages: [...talkOf(21, 300), ...talkOf(4, 3_000).slice(1)], systemPrompt: "" },
    );
    await expect(session.prepare()).rejects.toThrow("Condensing did not help (the summary does not save enough)");
    expect(await session.folds()).toMatchObject([{ foldId: "s-fold" }]);
  });
});

describe("a failing model", () => {
  test("is asked again only after the conversation has grown, each time by twice as much", async () => {
    const model = handler(FAILING.throws);
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: talkOf(20, 370) });
    const askedAt: number[] = [];
    for (let turn = 0; turn < 30; turn++) {
      const before = model.asked.length;
      await session.append(user(`turn ${turn}`));
      await session.prepare();
      if (model.asked.length > before) askedAt.push(turn);
    }
    expect(askedAt).toEqual([0, 4, 12, 28]);
  });

  test("is forgiven after a success", async () => {
    let isBroken = true;
    const model = handler((request) => (isBroken ? FAILING.throws() : good(request)));
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: FULL });
    expect((await session.prepare()).report.error).toContain("overloaded");
    isBroken = false;
    await session.condense();
    await session.append(...talkOf(16, 390));
    expect((await session.prepare()).report.foldIds[0]).toMatch(/^condense-/);
  });
});

/** Hides one message more than before, behind a summary that is hardly shorter. */
function hideOne(messages: readonly Message[]) {
  const condenseId = `fold-${messages.length}`;
  const index = messages.findIndex(
    (message, place) => place > 0 && message.condenseParent === undefined && message.isSummary !== true,
  );
  const tagged = messages.map((message, place) =>
    place === index ? { ...message, condenseParent: condenseId } : message,
  );
  const standIn: Message = { role: "assistant", content: "One was hidden.", isSummary: true, condenseId };
  return { messages: tagged.toSpliced(index + 1, 0, standIn), summary: "One was hidden.", cost: 0, condenseId };
}
