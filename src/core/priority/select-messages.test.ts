import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan, OPEN_CALL } from "../../../test/properties/conversations.ts";
import { assistant, call, ids, log, result, tag, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { detectPairs } from "../message/tool-pairs.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { type MessagePriority, priorityLevel } from "./priority.ts";
import { scoreMessages } from "./score-message.ts";
import { selectMessages } from "./select-messages.ts";

/** Ten tokens for each message, so that budgets are easy to read. */
const TEN: CountTokens = () => 10;
const countTokens = TEN;

const scored = (...scores: readonly number[]): readonly MessagePriority[] =>
  scores.map((score) => ({ score, level: priorityLevel(score), reasons: [] }));

describe("selectMessages", () => {
  const messages = log(user("a"), assistant("b"), user("c"), assistant("d"));

  test("takes the highest scores that fit, in their original order", () => {
    const selection = selectMessages(messages, scored(20, 40, 10, 30), 29, { countTokens });
    expect(ids(selection.messages)).toEqual(["m1", "m3"]);
    expect(selection).toMatchObject({ tokens: 20, isOverBudget: false });
    expect(selection.messages[0]).toBe(messages[1]);
  });

  test("of equal scores takes the newest", () => {
    expect(ids(selectMessages(messages, scored(20, 20, 20, 20), 20, { countTokens }).messages)).toEqual(["m2", "m3"]);
  });

  test("passes over what is too large for what comes next", () => {
    const bySize: CountTokens = (content) => content.length;
    const sized = log(user("x".repeat(50)), assistant("y".repeat(5)), user("z".repeat(5)));
    const selection = selectMessages(sized, scored(40, 30, 20), 10, { countTokens: bySize });
    expect(ids(selection.messages)).toEqual(["m1", "m2"]);
  });

  test("keeps what is critical whatever it costs, says so, and then takes nothing else", () => {
    const selection = selectMessages(messages, scored(70, 69, 90, 20), 15, { countTokens });
    expect(ids(selection.messages)).toEqual(["m0", "m2"]);
    expect(selection).toMatchObject({ tokens: 20, isOverBudget: true });
    expect(selection.choices.map(({ outcome }) => outcome)).toEqual(["critical", "no-room", "critical", "no-room"]);
  });

  test("keeps a pair whole, for the best of its halves", () => {
    const tools = log(user("go"), assistant(call("t1")), user(result("t1")), assistant("done"));
    expect(ids(selectMessages(tools, scored(30, 10, 40, 20), 20, { countTokens }).messages)).toEqual(["m1", "m2"]);
    expect(ids(selectMessages(tools, scored(30, 10, 40, 20), 19, { countTokens }).messages)).toEqual(["m0"]);
    expect(ids(selectMessages(tools, scored(30, 80, 10, 20), 0, { countTokens }).messages)).toEqual(["m1", "m2"]);
  });

  test("keeps a call that is still running", () => {
    const running = log(user("go"), assistant(call("t1")));
    const selection = selectMessages(running, scored(40, 10), 10, { countTokens });
    expect(ids(selection.messages)).toEqual(["m1"]);
    expect(selection.choices.map(({ outcome }) => outcome)).toEqual(["no-room", "running"]);
  });

  test("explains each unit", () => {
    const tools = log(user("go"), assistant(call("t1")), user(result("t1")));
    expect(selectMessages(tools, scored(30, 10, 40), 20, { countTokens }).choices).toEqual([
      { start: 0, end: 1, tokens: 10, score: 30, level: "normal", outcome: "no-room" },
      { start: 1, end: 3, tokens: 20, score: 40, level: "normal", outcome: "fits" },
    ]);
  });

  test("keeps a marked message of the task before the chatter that follows it", () => {
    const history = log(
      tag(user("the billing rounds down, we decided to keep that"), { important: true }),
      ...Array.from({ length: 10 }, (_, index) => assistant(`step ${index}`)),
    );
    const selection = selectMessages(history, scoreMessages(history, { keywords: ["billing"] }), 10, { countTokens });
    expect(ids(selection.messages)).toEqual(["m0"]);
  });

  test("refuses priorities that are not those of the messages", () => {
    const code = expect.objectContaining({ code: "invalid-argument" });
    expect(() => selectMessages(messages, scored(1, 2), 10)).toThrow(code);
    expect(() => selectMessages(messages, scored(1, 2, 3, Number.NaN), 10)).toThrow(code);
    expect(() => selectMessages(messages, scored(1, 2, 3, 4), Number.NaN)).toThrow(code);
  });
});

describe("whatever the conversation, scores and budget", () => {
  const characters: CountTokens = (content) => JSON.stringify(content).length;
  const conversation = fc
    .tuple(conversationPlan, fc.boolean())
    .map(([plan, isOpen]): readonly Message[] => [...buildTurns(plan), ...(isOpen ? [OPEN_CALL] : [])]);
  const cases = fc.tuple(conversation, fc.array(fc.integer({ min: -10, max: 120 }), { minLength: 1 }), fc.nat(6_000));
  const select = ([messages, scores, budget]: readonly [readonly Message[], readonly number[], number]) => {
    const priorities = scored(...messages.map((_, index) => scores[index % scores.length] ?? 0));
    return { priorities, selection: selectMessages(messages, priorities, budget, { countTokens: characters }) };
  };

  test("pairs stay whole, critical ones are in, the order stays, the budget holds for all others", () => {
    fc.assert(
      fc.property(cases, (given) => {
        const [messages, , budget] = given;
        const { priorities, selection } = select(given);
        const kept = new Set(selection.messages);
        expect(selection.messages).toEqual(messages.filter((message) => kept.has(message)));
        for (const { call, result } of detectPairs(messages)) {
          if (result !== undefined) expect(kept.has(call.message)).toBe(kept.has(result.message));
        }
        for (const [index, message] of messages.entries()) {
          if (priorities[index]?.level === "critical") expect(kept.has(message)).toBe(true);
        }
        expect(selection.tokens).toBe(countMessagesTokens(selection.messages, characters));
        expect(selection.isOverBudget).toBe(selection.tokens > budget);
        if (selection.isOverBudget) expect(selection.choices.some(({ outcome }) => outcome === "fits")).toBe(false);
        expect(selection.choices.flatMap(({ start, end }) => messages.slice(start, end))).toEqual(messages);
      }),
      PROPERTY_RUNS,
    );
  });

  test("the same is selected again", () => {
    fc.assert(
      fc.property(cases, (given) => {
        expect(select(given).selection).toEqual(select(given).selection);
      }),
      { ...PROPERTY_RUNS, numRuns: 200 },
    );
  });
});
