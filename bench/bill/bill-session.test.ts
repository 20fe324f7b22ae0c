import type { Message } from "palimpsest";
import { type Bill, billWithFolds, billWithoutFolds } from "palimpsest/core";
import { describe, expect, test } from "vitest";
import { billSession } from "./bill-session.ts";
import { sharedPrefix, tokensOf } from "./counted.ts";
import type { Policy, Setting } from "./policy.ts";
import { ANTHROPIC_5_MINUTES } from "./profiles.ts";
import type { RecordedCall, RecordedSession } from "./recorded-sessions.ts";
import { CLEARING_BY_ANTHROPIC, MASKING, NO_FOLDING, summaryAt } from "./usual-policies.ts";

const MINUTE = 60_000;
const { entry, prices } = ANTHROPIC_5_MINUTES;

function wordsOf(tokens: number, first: string): string {
  return first + " word".repeat(tokens - 1);
}

/** A call each minute that adds a tool call and its result. */
function sessionOf(resultTokens: readonly number[], pauseMs = MINUTE): RecordedSession {
  const calls = resultTokens.map((tokens, i): RecordedCall => {
    const call: Message = { role: "assistant", content: [{ type: "tool_use", id: `${i}`, name: "Read", input: {} }] };
    const result: Message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `${i}`, content: wordsOf(tokens, `r${i}`) }],
    };
    const first: Message = { role: "user", content: wordsOf(tokens, "Go") };
    return { atMs: i * pauseMs, newMessages: i === 0 ? [first] : [call, result], reply: call, outputTokens: 50 };
  });
  return { name: "made", calls, tokenRatio: 1, fixedTokens: 2_000 };
}

function settingOf(session: RecordedSession, contextWindow = 200_000): Setting {
  return { session, contextWindow, entry, fixedTokens: session.fixedTokens };
}

/** The session's sizes as the bills of palimpsest/core take them. */
function sizesOf({ calls, fixedTokens }: RecordedSession) {
  return calls.map(({ atMs, newMessages, outputTokens }) => {
    return {
      atMs,
      fixedTokens,
      outputTokens,
      arrivedTokens: newMessages.reduce((sum, each) => sum + tokensOf(each), 0),
    };
  });
}

const CORE_PRICES = { usdPerMillion: prices, cacheTtlMs: entry.cacheTtlMs };

describe("billSession", () => {
  test.each([MINUTE, 10 * MINUTE])(
    "bills a log that only grows as palimpsest/core does, a call each %d ms",
    async (pauseMs) => {
      const session = sessionOf([500, 3_000, 800, 1_200], pauseMs);
      const bill = await billSession(NO_FOLDING, settingOf(session));
      const expected: Bill = billWithoutFolds(sizesOf(session), CORE_PRICES);
      expect(bill.usd).toBeCloseTo(expected.usd, 10);
      expect(bill).toMatchObject({ folds: [], tooLong: 0 });
    },
  );

  test("bills a view that begins anew as a fold, and what is read again", async () => {
    const session = sessionOf([500, 9_000, 800, 1_200]);
    const standIn: Message = { role: "user", content: wordsOf(3_000, "Before") };
    let view: readonly Message[] = [];
    const policy: Policy = {
      name: "fold before the third call",
      start: () => ({
        view: (call) => {
          view = call === session.calls[2] ? [standIn] : [...view, ...call.newMessages];
          return { messages: view };
        },
      }),
    };
    const bill = await billSession(policy, settingOf(session));
    const model = { leftTokens: tokensOf(standIn), rereadTokens: 1_000, folds: [2] };
    expect(bill.folds).toEqual([2]);
    // both views begin with the same few characters, which palimpsest/core does not know of
    expect(bill.usd).toBeCloseTo(billWithFolds(sizesOf(session), CORE_PRICES, model).usd, 4);
  });

  test("counts the prompts that are larger than the window", async () => {
    const bill = await billSession(NO_FOLDING, settingOf(sessionOf([500, 3_000, 800]), 5_000));
    expect(bill.tooLong).toBe(2);
  });
});

describe("sharedPrefix", () => {
  test("is all messages that are equal, and a share of the first that differs", () => {
    const one: Message = { role: "user", content: "The same." };
    const long: Message = { role: "user", content: wordsOf(1_000, "Begin") };
    const cut: Message = { role: "user", content: wordsOf(500, "Begin") };
    const shared = sharedPrefix([one, cut], [{ ...one }, long]);
    expect(shared.messages).toBe(1);
    expect(shared.tokens / (tokensOf(one) + 500)).toBeCloseTo(1, 1);
  });
});

describe("the usual policies", () => {
  async function viewsOf(policy: Policy, session: RecordedSession, contextWindow = 200_000) {
    const replay = await policy.start(settingOf(session, contextWindow));
    const views: (readonly Message[])[] = [];
    for (const call of session.calls) views.push((await replay.view(call)).messages);
    return views;
  }

  const clearedIn = (view: readonly Message[]) =>
    view.filter(({ content }) => JSON.stringify(content).includes("[cleared]")).length;

  test("a summary takes the place of all but the first and the last three messages, with the call of a result", async () => {
    const views = await viewsOf(summaryAt(0.8), sessionOf([100, 3_000, 3_000, 3_000, 3_000]), 10_000);
    expect(views.map((view) => view.length)).toEqual([1, 3, 5, 6, 6]);
  });

  test("masking hides each result once it is three calls old", async () => {
    const views = await viewsOf(MASKING, sessionOf([100, 300, 300, 300, 300, 300]));
    expect(views.map(clearedIn)).toEqual([0, 0, 0, 0, 1, 2]);
  });

  test("clearing waits for 100,000 tokens, keeps three results and leaves what was cleared", async () => {
    const views = await viewsOf(CLEARING_BY_ANTHROPIC, sessionOf([100, ...Array<number>(6).fill(20_000), 100]));
    expect(views.map(clearedIn)).toEqual([0, 0, 0, 0, 0, 2, 2, 2]);
  });
});
