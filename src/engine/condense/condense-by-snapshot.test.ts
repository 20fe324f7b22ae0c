import { describe, expect, test } from "vitest";
import { type Behaviour, FAILING, handler, hangs, inTurn, replies, streams } from "../../../test/support/handlers.ts";
import { chat, ids } from "../../../test/support/messages.ts";
import { SNAPSHOT_PROMPT } from "../../core/condense/snapshot/snapshot-prompt.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { CondensationRun } from "./condensation-run.ts";
import { condenseBySnapshot } from "./condense-by-snapshot.ts";

const PARTS =
  "<overall_goal>Ship it.</overall_goal><key_knowledge>k</key_knowledge><file_system_state>CWD: /app</file_system_state><recent_actions>a</recent_actions><current_plan>1. [TODO] ship</current_plan>";
const REPLY = `<scratchpad>SECRET NOTES</scratchpad>\n<state_snapshot>${PARTS}</state_snapshot>`;
const CONVERSATION = chat(20);

function condense(behaviour: Behaviour, fields: Partial<CondensationRun> = {}) {
  return condenseBySnapshot({
    messages: CONVERSATION,
    handler: handler(behaviour),
    taskId: "task",
    keepMessages: 0,
    prevContextTokens: 100_000,
    countTokens: countContentTokens,
    measurePrompt: (view) => countMessagesTokens(view),
    maxModelCalls: 4,
    timeoutMs: 300_000,
    ...fields,
  });
}

test("puts the snapshot of the reply in place, and nothing of its scratchpad", async () => {
  const { messages, summary, condenseId = "", error } = await condense(replies(REPLY));
  expect(error).toBeUndefined();
  expect(summary).toMatch(/^<state_snapshot>\n<overall_goal>\nShip it\.\n/);
  // What the person asked first stays in front of it.
  expect(ids(effectiveView(messages))).toEqual(["m0", condenseId, `${condenseId}-reply`, "m16", "m17", "m18", "m19"]);
  expect(JSON.stringify(messages)).not.toContain("SECRET");
  expect(restoreMessages(messages, condenseId)).toEqual(CONVERSATION);
});

test("does not count the scratchpad as part of the new context", async () => {
  const { newContextTokens, messages } = await condense(replies(REPLY, { outputTokens: 90_000 }));
  expect(newContextTokens).toBe(countMessagesTokens(effectiveView(messages)));
});

test("asks with its own prompt, or a custom one that is not blank", async () => {
  for (const [prompt, systemPrompt] of [
    [undefined, SNAPSHOT_PROMPT],
    [" ", SNAPSHOT_PROMPT],
    [" Be terse. ", "Be terse."],
  ] as const) {
    const model = handler(replies(REPLY));
    await condense(replies(REPLY), { handler: model, prompt });
    expect(model.asked.map((asked) => asked.systemPrompt)).toEqual([systemPrompt]);
  }
});

describe("the log stays as it was", () => {
  test.each<[string, Behaviour, RegExp]>([
    ["throws", FAILING.throws, /overloaded/],
    ["throws at once", FAILING.throwsAtOnce, /no key/],
    ["hangs", hangs, /longer than 30 ms/],
    ["dies mid-stream", FAILING.diesMidStream, /hang up/],
    ["streams garbage", streams(null, 5, {}), /no text/],
    ["writes no snapshot", replies("I cannot do that."), /no <state_snapshot>/],
    ["is cut off", replies(REPLY.slice(0, -20)), /cut off|never closed/],
    ["only thinks", replies(`<think>${REPLY}`), /no <state_snapshot>/],
    ["leaves the plan empty", replies(REPLY.replace("1. [TODO] ship", " ")), /current_plan/],
  ])("when the model %s", async (_, behaviour, error) => {
    const failed = await condense(behaviour, { timeoutMs: 30 });
    expect(failed).toMatchObject({ summary: "", modelCalls: 1, error: expect.stringMatching(error) });
    expect(failed.messages).toBe(CONVERSATION);
    expect(failed).not.toHaveProperty("condenseId");
  });

  test("when the context would grow", async () => {
    const grown = await condense(replies(REPLY), { prevContextTokens: 10 });
    expect(grown).toMatchObject({ error: expect.stringMatching(/context grew/i), cost: 0.01 });
    expect(grown.messages).toBe(CONVERSATION);
  });

  test("when there is nothing to compress", async () => {
    const model = handler(replies(REPLY));
    const few = chat(1);
    expect(await condense(replies(REPLY), { messages: few, handler: model })).toMatchObject({ modelCalls: 0 });
    expect(model.asked).toEqual([]);
  });
});

describe("with a second look", () => {
  const better = REPLY.replace("Ship it.", "Ship it by Friday.");
  test("the model is shown its snapshot and the conversation, and what it writes then is taken", async () => {
    const asked = handler(inTurn(replies(REPLY), replies(better)));
    const { summary, modelCalls } = await condense(replies(REPLY), { handler: asked, verify: true });
    expect({ calls: asked.asked.length, modelCalls }).toEqual({ calls: 2, modelCalls: 2 });
    expect(summary).toContain("Ship it by Friday.");
    expect(JSON.stringify(asked.asked[1]?.messages)).toContain("Ship it.");
  });

  test("a check that fails leaves the first snapshot, and its cost is told", async () => {
    const asked = handler(inTurn(replies(REPLY), replies("no snapshot")));
    const { summary, modelCalls, error } = await condense(replies(REPLY), { handler: asked, verify: true });
    expect({ modelCalls, error }).toEqual({ modelCalls: 2, error: undefined });
    expect(summary).toContain("Ship it.");
  });

  test("there is none where no more requests may be made, or nobody asked for it", async () => {
    expect((await condense(replies(REPLY), { verify: true, maxModelCalls: 1 })).modelCalls).toBe(1);
    expect((await condense(replies(REPLY))).modelCalls).toBe(1);
  });
});
