import { describe, expect, test } from "vitest";
import { FAILING, good, handler, inTurn, replies, type ScriptedHandler } from "../../test/support/handlers.ts";
import { longTalk, SETTINGS, totalTokens, words } from "../../test/support/long-talk.ts";
import { assistant, tag, user } from "../../test/support/messages.ts";
import type { Message } from "../core/message/message.ts";
import { manageContext } from "./manage-context.ts";

interface Turn {
  readonly requests: number;
  readonly error: string | undefined;
  readonly didTruncate: boolean;
}

/** Lets a conversation grow by an exchange of 200 tokens each turn, managing it before each, as an agent would. */
async function converse(apiHandler: ScriptedHandler, turns: number, start: readonly Message[], taskId = "task") {
  let messages = start;
  const report: Turn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = apiHandler.asked.length;
    // Stored and read again each turn: nothing hangs on the identity of objects.
    const stored: readonly Message[] = JSON.parse(JSON.stringify(messages));
    const outcome = await manageContext({
      ...SETTINGS,
      taskId,
      messages: stored,
      totalTokens: totalTokens(stored, SETTINGS.systemPrompt),
      apiHandler,
    });
    report.push({
      requests: apiHandler.asked.length - before,
      error: outcome.error,
      didTruncate: outcome.truncationId !== undefined,
    });
    const said = [assistant(words(100, `reply${turn}`)), user(words(100, `ask${turn}`))];
    messages = [
      ...outcome.messages,
      ...said.map((message, index) => tag(message, { id: `n${messages.length + index}` })),
    ];
  }
  return { messages, report, requests: report.reduce((sum, turn) => sum + turn.requests, 0) };
}

/** At the threshold from the first turn on. */
const full = longTalk(25, 980);
/** Over the limit in the first turn, and again whenever it has grown by what a truncation made room for. */
const over = longTalk(41, 1_000);

describe("a model that fails", () => {
  test.each(Object.entries(FAILING))("because it %s is not asked again every turn", async (_, fails) => {
    const { requests, report } = await converse(handler(fails), 30, full);
    expect(report[0]?.requests).toBe(1);
    expect(requests).toBeGreaterThan(1);
    expect(requests).toBeLessThanOrEqual(5);
  });

  test("is asked again after the conversation has grown, each time later", async () => {
    const { report } = await converse(handler(FAILING.throws), 30, full);
    const asked = report.flatMap((turn, index) => (turn.requests > 0 ? [index] : []));
    const waits = asked.slice(1).map((turn, index) => turn - (asked[index] ?? 0));
    expect(waits[0]).toBe(2);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(new Set(waits).size).toBe(waits.length);
  });

  test("is told of when it was asked, and the turns between neither fail nor overflow", async () => {
    const { report, messages } = await converse(handler(FAILING.throws), 30, over);
    for (const turn of report) expect(turn.error !== undefined).toBe(turn.requests > 0);
    expect(report[0]?.didTruncate).toBe(true);
    expect(totalTokens(messages, SETTINGS.systemPrompt)).toBeLessThan(25_000);
  });

  test("with summaries that are refused is not paid for every turn either", async () => {
    const { report, requests } = await converse(handler(replies(words(60_000), { totalCost: 0.5 })), 30, full);
    expect(report[0]?.error).toMatch(/grew/);
    expect(requests).toBeLessThanOrEqual(5);
  });

  test("in one conversation is still asked in another", async () => {
    const model = handler(FAILING.throws);
    await converse(model, 1, full, "one");
    expect((await converse(model, 1, full, "other")).requests).toBe(1);
    expect((await converse(model, 1, full, "one")).requests).toBe(0);
  });

  test("is asked for another conversation under the same name, and for one that was rewound", async () => {
    const model = handler(FAILING.throws);
    await converse(model, 1, full);
    const another = full.with(0, { ...full[0], ...user(words(980, "another")) });
    expect((await converse(model, 1, another)).requests).toBe(1);
    const model2 = handler(FAILING.throws);
    await converse(model2, 1, longTalk(27, 980));
    expect((await converse(model2, 1, full)).requests).toBe(1);
  });

  test("does not keep another model from being asked", async () => {
    await converse(handler(FAILING.throws), 1, full);
    expect((await converse(handler(good), 1, full)).requests).toBe(1);
  });

  test("is asked at once again after a success", async () => {
    const model = handler(inTurn(FAILING.throws, good, FAILING.throws));
    const failing = await converse(model, 3, full);
    expect(failing.report.map((turn) => turn.error === undefined)).toEqual([false, true, true]);
    expect(model.asked).toHaveLength(2);
    const room = 24_150 - totalTokens(failing.messages, SETTINGS.systemPrompt);
    const refill = longTalk(10, room / 10).map((message) => ({ ...message, id: `refill-${message.id}` }));
    const refilled = [...failing.messages, ...refill];
    const again = await converse(model, 5, refilled);
    // One wait of the first length, not of the second.
    expect(again.report.slice(0, 3).map((turn) => turn.requests)).toEqual([1, 0, 1]);
  });

  test("is not held to have failed where it was never asked", async () => {
    const model = handler(good);
    const few = longTalk(4, 6_100);
    expect((await converse(model, 1, few)).report[0]?.error).toMatch(/not enough messages/);
    const more = [...few.slice(0, 1), ...longTalk(25, 980).slice(1)];
    expect((await converse(model, 1, more)).requests).toBe(1);
  });
});
