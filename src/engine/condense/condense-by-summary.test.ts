import { describe, expect, test } from "vitest";
import {
  type Behaviour,
  FAILING,
  GOOD_SUMMARY,
  good,
  handler,
  hangs,
  inTurn,
  replies,
  streams,
} from "../../../test/support/handlers.ts";
import { assistant, call, chat, ids, log, result, user } from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { CondensationRun } from "./condensation-run.ts";
import { condenseBySummary } from "./condense-by-summary.ts";

const MORE = " and more of it".repeat(40);

function runOf(
  messages: readonly Message[],
  behaviour: Behaviour,
  fields: Partial<CondensationRun> = {},
): CondensationRun {
  return {
    messages,
    handler: handler(behaviour),
    taskId: "task",
    keepMessages: 3,
    prevContextTokens: 100_000,
    countTokens: countContentTokens,
    measurePrompt: (view) => countMessagesTokens(view),
    maxModelCalls: 4,
    timeoutMs: 300_000,
    ...fields,
  };
}

const CONVERSATION = chat(12);
const condense = (behaviour: Behaviour, fields: Partial<CondensationRun> = {}) =>
  condenseBySummary(runOf(CONVERSATION, behaviour, fields));

describe("trouble with the model leaves the log as it was, and says what was spent", () => {
  const reasons = (text: string) => replies(text, { totalCost: 0.01 });
  test.each<[string, Behaviour, RegExp, number]>([
    ["throws at once", FAILING.throwsAtOnce, /no key/, 0],
    ["throws later", FAILING.throws, /overloaded/, 0],
    ["hangs", hangs, /longer than 30 ms/, 0],
    ["streams nothing", FAILING.repliesNothing, /no text/, 0],
    ["streams only blanks", FAILING.repliesBlank, /no text/, 0.01],
    ["only reasons", FAILING.onlyReasons, /no text/, 0.01],
    ["only reasons, as text", reasons("<think>So the person wants…</think>"), /no text/, 0.01],
    ["reasons as text without an end", reasons("<think>So the person wants…"), /no text/, 0.01],
    ["dies mid-stream", FAILING.diesMidStream, /socket hang up/, 0],
    ["streams garbage", streams(null, 5, "x", { type: "text" }, { text: "x" }), /no text/, 0],
  ])("when it %s", async (_, behaviour, error, cost) => {
    const failed = await condense(behaviour, { timeoutMs: 30 });
    expect(failed).toEqual({
      messages: CONVERSATION,
      summary: "",
      cost,
      error: expect.stringMatching(error),
      modelCalls: 1,
    });
    expect(failed.error).toMatch(/^Condensing failed: /);
    expect(failed.messages).toBe(CONVERSATION);
  });

  test("when it never stops", async () => {
    const endless: Behaviour = async function* () {
      for (;;) yield { type: "text", text: "word ".repeat(1_000) };
    };
    expect(await condense(endless)).toMatchObject({
      messages: CONVERSATION,
      error: expect.stringMatching(/does not end/),
    });
  });

  test("when it is aborted", async () => {
    const controller = new AbortController();
    const condensed = condense(hangs, { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    expect(await condensed).toMatchObject({ messages: CONVERSATION, error: expect.stringMatching(/aborted/) });
  });
});

test("usage that makes no sense costs nothing and counts nothing", async () => {
  const usage = { inputTokens: Number.NaN, outputTokens: Number.NaN, totalCost: Number.NaN };
  const { error, cost, newContextTokens, messages } = await condense(replies(GOOD_SUMMARY, usage));
  expect(error).toBeUndefined();
  expect(cost).toBe(0);
  expect(newContextTokens).toBe(countMessagesTokens(effectiveView(messages)));
});

test("reasoning in front of the summary is no part of it, nor of its size", async () => {
  const thoughtful = replies(`<think>${"Let me think. ".repeat(500)}</think>\n${GOOD_SUMMARY}`, {
    outputTokens: 50_000,
  });
  const { summary, newContextTokens, messages } = await condense(thoughtful);
  expect(summary).toBe(GOOD_SUMMARY);
  expect(newContextTokens).toBe(countMessagesTokens(effectiveView(messages)));
});

describe("a second condensation", () => {
  const grown = async (behaviour: Behaviour) => {
    const first = await condenseBySummary(runOf(CONVERSATION, behaviour));
    const more = chat(6).map((message, index) => ({ ...message, id: `n${index}`, ts: 20_000 + index }));
    return { first, log: [...first.messages, ...more] };
  };

  test("hides what the first one kept, and the first summary", async () => {
    const { first, log } = await grown(good);
    const second = await condenseBySummary(runOf(log, replies("Second.")));
    expect(ids(effectiveView(second.messages))).toEqual(["m0", second.condenseId, "n3", "n4", "n5"]);
    const parentOf = (id: string | undefined) => second.messages.find((message) => message.id === id)?.condenseParent;
    expect([parentOf("m4"), parentOf("m10"), parentOf(first.condenseId)]).toEqual([
      first.condenseId,
      second.condenseId,
      second.condenseId,
    ]);
  });

  test("integrates the first summary: its text once, as an earlier summary, without the notice", async () => {
    const { first, log } = await grown(replies("FIRST-SUMMARY of it."));
    const model = handler(good);
    await condenseBySummary(runOf(log, good, { handler: model }));
    const text = model.asked.flatMap(({ messages }) => messages.map(({ content }) => String(content))).join("\n");
    expect(text.match(/FIRST-SUMMARY/g)).toHaveLength(1);
    expect(text).toContain("<earlier_summary>\nFIRST-SUMMARY of it.\n</earlier_summary>");
    expect(text).not.toMatch(/hidden in fold|condensed below/);
    expect(text).not.toContain(first.condenseId);
    expect(text).toContain("reply 9");
    expect(text).not.toContain("reply 3");
  });
});

describe("a call that is still running", () => {
  test("stays with its turn, and its result pairs up when it comes", async () => {
    const running = log(
      ...chat(8).map(({ role, content }) => ({ role, content: `${String(content)}${MORE}` })),
      assistant("I run it.", call("c1")),
    );
    const { messages, error } = await condenseBySummary(runOf(running, good));
    expect(error).toBeUndefined();
    const view = effectiveView([...messages, user(result("c1", "passed"))]);
    expect(validateView(view)).toEqual([]);
    expect(restoreAllMessages(messages)).toEqual(running);
  });

  test("stays also where what came after it would be kept alone", async () => {
    const running = log(
      user(`go${MORE}`),
      assistant(`a${MORE}`),
      user(`b${MORE}`),
      assistant(call("c1"), call("c2")),
      user(result("c1")),
      user("and?"),
      user("well?"),
      user("hey"),
    );
    const { messages, error } = await condenseBySummary(runOf(running, good));
    expect(error).toBeUndefined();
    expect(ids(effectiveView(messages)).slice(2)).toEqual(["m3", "m4", "m5", "m6", "m7"]);
  });
});

describe("a large conversation on a small window", () => {
  const large = Array.from({ length: 80 }, (_, index) => ({
    ...(index % 2 === 0 ? user(`ask ${index}${MORE}`) : assistant(`reply ${index}${MORE}`)),
    id: `m${index}`,
  }));
  const small = (behaviour: Behaviour) => handler(behaviour, { contextWindow: 8_000 });

  test("takes several requests: each is given the reply before, and the last reply is the summary", async () => {
    let call = 0;
    const numbered: Behaviour = (asked) => replies(`reply of part ${++call}`, { outputTokens: 10 })(asked);
    const model = small(numbered);
    const { summary, cost, modelCalls, error } = await condenseBySummary(runOf(large, good, { handler: model }));
    expect(error).toBeUndefined();
    expect(model.asked.length).toBeGreaterThan(1);
    expect(modelCalls).toBe(model.asked.length);
    expect(summary).toBe(`reply of part ${modelCalls}`);
    expect(cost).toBeCloseTo(0.01 * model.asked.length);
    for (const [index, { messages }] of model.asked.entries()) {
      const ask = String(messages.at(-1)?.content);
      if (index === 0) expect(ask).not.toContain("earlier_summary");
      else expect(ask).toContain(`<earlier_summary>\nreply of part ${index}\n</earlier_summary>`);
    }
  });

  test("fails as a whole when one part fails, with the cost of all", async () => {
    const model = small(inTurn(good, FAILING.repliesBlank));
    const failed = await condenseBySummary(runOf(large, good, { handler: model }));
    expect(failed).toMatchObject({ summary: "", cost: 0.02, modelCalls: 2, error: expect.stringMatching(/no text/) });
    expect(failed.messages).toBe(large);
    expect(model.asked).toHaveLength(2);
  });

  test("asks no more once it is aborted", async () => {
    const controller = new AbortController();
    const aborts: Behaviour = async function* (asked) {
      yield* good(asked);
      controller.abort();
    };
    const model = small(aborts);
    const failed = await condenseBySummary(runOf(large, good, { handler: model, signal: controller.signal }));
    expect(failed).toMatchObject({ error: expect.stringMatching(/aborted/), cost: 0.01, modelCalls: 1 });
    expect(model.asked).toHaveLength(1);
  });

  test("uses no more calls than it may", async () => {
    for (const maxModelCalls of [1, 2, 3]) {
      const model = small(good);
      const { error } = await condenseBySummary(runOf(large, good, { handler: model, maxModelCalls }));
      expect(error).toBeUndefined();
      expect(model.asked).toHaveLength(maxModelCalls);
    }
    const idle = small(good);
    expect(await condenseBySummary(runOf(large, good, { handler: idle, maxModelCalls: 0 }))).toMatchObject({
      modelCalls: 0,
      error: expect.stringMatching(/No request to a model is left/),
    });
    expect(idle.asked).toEqual([]);
  });
});

test("a window without room for the prompt is refused before anyone is asked", async () => {
  const model = handler(good, { contextWindow: 8_000 });
  const refused = await condense(good, { handler: model, prompt: "rule ".repeat(9_000) });
  expect(refused).toMatchObject({ modelCalls: 0, cost: 0, error: expect.stringMatching(/no room/) });
  expect(model.asked).toEqual([]);
});

test("messages that hold nothing to read are refused before anyone is asked", async () => {
  const thought = assistant({ type: "reasoning", text: "hm" });
  const model = handler(good);
  const messages = log(thought, thought, thought, thought, user("a"), assistant("b"), user("c"));
  expect(await condenseBySummary(runOf(messages, good, { handler: model }))).toMatchObject({
    modelCalls: 0,
    error: expect.stringMatching(/nothing to read/),
  });
});
