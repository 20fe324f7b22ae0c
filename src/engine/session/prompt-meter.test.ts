/** The forecast of a session's prompts, and what the provider's reports do to it. */
import { describe, expect, test } from "vitest";
import { GOOD_SUMMARY, handler, replies } from "../../../test/support/handlers.ts";
import { assistant, user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, prose, strategy, talkOf, untyped } from "../../../test/support/sessions.ts";
import {
  countMessagesTokens,
  type EngineOptions,
  type Message,
  modelCondenser,
  type ReportedUsage,
  type Session,
} from "../../index.ts";

/** A provider that makes 1.3 tokens of one of ours, and has a system prompt that nobody told us of. */
const RATIO = 1.3;
const OVERHEAD = 500;

function providerTokens(messages: readonly Message[]): number {
  return Math.round(OVERHEAD + RATIO * countMessagesTokens(messages));
}

/** Turns with a provider like that: how far each forecast was off, as a share of the truth. */
async function errorsOver(session: Session, turns: number): Promise<readonly number[]> {
  const errors: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await session.append(user(prose(100 + 40 * (turn % 5), `ask ${turn}`)));
    const { messages, report } = await session.prepare();
    const truth = providerTokens(messages);
    errors.push(Math.abs(report.promptTokens - truth) / truth);
    const reply = assistant(prose(150 + 30 * (turn % 7), `reply ${turn}`));
    session.observe({ inputTokens: truth, outputTokens: Math.round(RATIO * countMessagesTokens([reply])) });
    await session.append(reply);
  }
  return errors;
}

const largest = (values: readonly number[]) => Math.max(...values);

describe("a forecast", () => {
  test("starts from what the provider reported: from the second turn on it is within 1 %", async () => {
    const { session } = await openSession({ contextWindow: 200_000 });
    const [first = 0, second = 0, ...later] = await errorsOver(session, 40);
    expect(first).toBeGreaterThan(0.5);
    expect(second).toBeLessThan(0.05);
    expect(largest(later.slice(3))).toBeLessThan(0.01);
  });

  test("without reports stays as far off as our count is", async () => {
    const { session } = await openSession({ contextWindow: 200_000 }, { messages: talkOf(40, 300) });
    const { messages, report } = await session.prepare();
    expect(report.promptTokens / providerTokens(messages)).toBeLessThan(0.8);
  });

  test("keeps the provider's prompts inside the window, also right after a fold", async () => {
    const condenser = modelCondenser(handler(replies(GOOD_SUMMARY)));
    const { session, engine } = await openSession({ contextWindow: 20_000, maxTokens: 1_000, condenser });
    await errorsOver(session, 10);
    const errors = await errorsOver(session, 90);
    expect(engine.getMetrics().condensations).toBeGreaterThan(1);
    // What a fold leaves is counted from scratch, with what was learned before.
    expect(largest(errors)).toBeLessThan(0.05);
    const { messages, report } = await session.prepare();
    expect(providerTokens(messages)).toBeLessThanOrEqual(report.allowedTokens);
  });

  test("counts system prompt and tools that it was told of", async () => {
    const promptTokens = async (session: object) =>
      (await (await openSession({}, session)).session.prepare()).report.promptTokens;
    expect(await promptTokens({ systemPrompt: prose(300, "You help") })).toBeGreaterThan(300);
    expect(await promptTokens({ tools: [{ name: "read", description: prose(200, "Reads") }] })).toBeGreaterThan(200);
  });

  test("of a model whose tokens are known to be more is larger from the start", async () => {
    const messages = talkOf(20, 300);
    const promptTokens = async (options: Partial<EngineOptions>) =>
      (await (await openSession(options, { messages })).session.prepare()).report.promptTokens;
    expect(await promptTokens({ model: "claude-sonnet-4-5" })).toBeGreaterThan(await promptTokens({ model: "gpt-5" }));
  });
});

describe("a report that cannot be true", () => {
  const BOGUS: Readonly<Record<string, ReportedUsage>> = {
    "of 0": { inputTokens: 0 },
    "of NaN": { inputTokens: Number.NaN, outputTokens: Number.NaN },
    "of less than nothing": { inputTokens: -5_000, cacheReadTokens: -1 },
    "of infinity": { inputTokens: Number.POSITIVE_INFINITY },
    "of 100 times too much": { inputTokens: 160_000 },
    "of nearly the whole window": { inputTokens: 9_900 },
    "of what was not in the cache only": { inputTokens: 4, outputTokens: 60 },
    "without numbers": untyped({ inputTokens: "many", outputTokens: null }),
    "without anything": untyped({}),
  };

  test.each(Object.entries(BOGUS))("%s folds nothing, breaks nothing and is no basis", async (_, usage) => {
    const messages = talkOf(4, 390);
    const { session } = await openSession({}, { messages });
    const { report: before } = await session.prepare();
    for (let times = 0; times < 3; times++) session.observe(usage);
    await session.append(user("next"));
    const { report } = await session.prepare();
    expect(report.foldIds).toEqual([]);
    expect(Math.abs(report.promptTokens - before.promptTokens)).toBeLessThan(300);
    expect(await problemsOf(session, [...messages, user("next")])).toEqual([]);
  });

  test.each(Object.entries(BOGUS))("%s at every turn never breaks a session", async (_, usage) => {
    const messages = talkOf(60, 390);
    const { session } = await openSession({ condenser: strategy("s") });
    for (const message of messages) {
      await session.append(message);
      const { messages: view, report } = await session.prepare();
      expect(countMessagesTokens(view)).toBeLessThanOrEqual(8_000);
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      session.observe(usage);
    }
    expect((await session.view()).length).toBeGreaterThan(1);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("before anything was prepared, or on what was rewritten since, is passed over", async () => {
    const { session } = await openSession({ condenser: strategy("s") }, { messages: talkOf(10, 390) });
    session.observe({ inputTokens: 7_000 });
    const { report } = await session.prepare();
    expect(report.promptTokens).toBeLessThan(4_200);
    await session.condense();
    session.observe({ inputTokens: 7_000 });
    expect((await session.prepare()).report.promptTokens).toBeLessThan(2_500);
  });

  test("that is no object is refused", async () => {
    const { session } = await openSession({});
    expect(() => session.observe(untyped(undefined))).toThrow("usage is undefined; it must be an object.");
  });
});

describe("reports that claim what they like", () => {
  const CLAIMS: Readonly<Record<string, (tokens: number) => number>> = {
    "10 tokens": () => 10,
    "no tokens": () => 0,
    "less than none": () => -4_000,
    "NaN tokens": () => Number.NaN,
    "a third of them": (tokens) => tokens / 3,
    "1e15 tokens": () => 1e15,
  };

  test.each(Object.entries(CLAIMS))(
    "of %s: a window of 20,000 is folded in time, and the report is told",
    async (_, claim) => {
      const { session } = await openSession({ contextWindow: 20_000, maxTokens: 1_000 });
      const sizes: number[] = [];
      for (const message of talkOf(120, 390)) {
        await session.append(message);
        const { messages, report } = await session.prepare();
        const tokens = countMessagesTokens(messages);
        expect(tokens).toBeLessThanOrEqual(report.allowedTokens);
        if (sizes.length > 4) expect(report.warnings).toEqual([expect.stringContaining("is not believed")]);
        sizes.push(tokens);
        session.observe({ inputTokens: claim(tokens), outputTokens: 10 });
      }
      expect(Math.max(...sizes)).toBeGreaterThan(10_000);
    },
  );
});

describe("a report of far more than was known", () => {
  const reported = (messages: readonly Message[]) => ({ inputTokens: 6_000 + countMessagesTokens(messages) });

  test("is believed when the next request agrees: then room is kept for it", async () => {
    const { session } = await openSession({}, { messages: talkOf(2, 200) });
    session.observe(reported((await session.prepare()).messages));
    await session.append(user("more"));
    const { messages, report } = await session.prepare();
    expect(report.promptTokens).toBeLessThan(1_000);
    session.observe(reported(messages));
    await session.append(...talkOf(10, 300));
    const { messages: view, report: last } = await session.prepare();
    expect(last.prevContextTokens).toBeGreaterThan(9_000);
    expect(6_000 + countMessagesTokens(view)).toBeLessThanOrEqual(8_000);
  });

  test("is believed at once where a tokenizer can have made it of what was sent: the next prompt fits", async () => {
    const contextWindow = 32_000;
    const truth = (messages: readonly Message[]) => 2.07 * countMessagesTokens(messages);
    const { session } = await openSession({ contextWindow }, { messages: talkOf(80, 200) });
    const { messages } = await session.prepare();
    expect(truth(messages)).toBeGreaterThan(contextWindow);
    session.observe({ inputTokens: truth(messages) });
    await session.append(user("more"));
    expect(truth((await session.prepare()).messages)).toBeLessThanOrEqual(contextWindow);
  });

  test("is not believed when it is told twice of one request", async () => {
    const { session } = await openSession({}, { messages: talkOf(2, 200) });
    const { messages } = await session.prepare();
    session.observe(reported(messages));
    session.observe(reported(messages));
    expect((await session.prepare()).report.promptTokens).toBeLessThan(1_000);
  });

  test("that leaves no room for any conversation is never acted on", async () => {
    const { session } = await openSession({}, { messages: talkOf(2, 200) });
    for (let turn = 0; turn < 10; turn++) {
      const { report } = await session.prepare();
      expect(report.foldIds).toEqual([]);
      session.observe({ inputTokens: 9_500 + 100 * turn });
      await session.append(user(prose(100, `turn ${turn}`)));
    }
  });

  test("that comes all of a sudden, and again and again, folds nothing where our own count is small", async () => {
    const { session } = await openSession({}, { messages: talkOf(2, 200) });
    for (const inputTokens of [450, 9_000, 9_050, 9_100, 9_150]) {
      const { report, messages } = await session.prepare();
      expect(report.foldIds).toEqual([]);
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      expect(messages.length).toBe((await session.log()).length);
      session.observe({ inputTokens });
      await session.append(user("more"));
    }
  });
});
