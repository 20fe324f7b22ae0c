import { describe, expect, test } from "vitest";
import { FAILING, GOOD_SUMMARY, good, handler, replies, streams, unchecked } from "../../../test/support/handlers.ts";
import { assistant, call, chat, deepFreeze, ids, log, result, tag, user } from "../../../test/support/messages.ts";
import { SUMMARY_PARTS, SUMMARY_PROMPT } from "../../core/condense/summary/summary-prompt.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { summarizeConversation } from "./summarize-conversation.ts";

const SYSTEM = "You are a careful engineer.";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "SW1hZ2U=" } } as const;

/** Twelve messages of talk about one task, long enough that a summary is shorter. */
const CONVERSATION = deepFreeze(
  chat(12).map((message) => ({ ...message, content: `${String(message.content)} ${"and more of it ".repeat(30)}` })),
);

test("takes its parameters by position", async () => {
  const main = handler(good, { id: "main" });
  const cheap = handler(good, { id: "cheap" });
  const condensed = await summarizeConversation(
    CONVERSATION,
    main,
    SYSTEM,
    "task",
    10_000,
    true,
    "Custom.",
    cheap,
    true,
  );
  expect(condensed.error).toBeUndefined();
  expect([main.asked.length, cheap.asked.length]).toEqual([0, 1]);
  expect(cheap.asked[0]?.systemPrompt).toBe("Custom.");
});

describe("what comes back", () => {
  test("is the log with the summary in it, the text, the cost, the new size and the id", async () => {
    const condensed = await summarizeConversation(CONVERSATION, handler(good), SYSTEM, "task", 10_000);
    const { messages, condenseId } = condensed;
    expect(condensed).toEqual({
      messages,
      summary: GOOD_SUMMARY,
      cost: 0.01,
      condenseId: expect.stringMatching(/^condense-/),
      newContextTokens: expect.any(Number),
      modelCalls: 1,
    });
    expect(ids(effectiveView(messages))).toEqual(["m0", condenseId, "m9", "m10", "m11"]);
    expect(messages[0]).toBe(CONVERSATION[0]);
    expect(messages.slice(-3)).toEqual(CONVERSATION.slice(-3));
  });

  test("has a summary message in its blocks' order, just before the tail in time", async () => {
    const { messages, condenseId } = await summarizeConversation(CONVERSATION, handler(good), SYSTEM, "task", 10_000);
    expect(messages.find((message) => message.isSummary)).toMatchObject({
      role: "assistant",
      content: [{ type: "reasoning" }, { type: "text", text: GOOD_SUMMARY }, { type: "text" }],
      ts: 9_999,
      condenseId,
    });
  });

  test("counts the summary's output tokens, the system prompt and the kept messages", async () => {
    const kept = CONVERSATION.filter((_, index) => index === 0 || index >= 9);
    const model = handler(replies("Short.", { outputTokens: 500 }));
    const { newContextTokens } = await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000);
    expect(newContextTokens).toBe(500 + countTextTokens(SYSTEM) + countMessagesTokens(kept));
  });

  test("counts the summary itself where its output tokens are not known", async () => {
    const model = handler(streams({ type: "text", text: GOOD_SUMMARY }));
    const { messages, newContextTokens } = await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000);
    expect(newContextTokens).toBe(countTextTokens(SYSTEM) + countMessagesTokens(effectiveView(messages)));
  });

  test("is counted by the main handler, whoever wrote the summary", async () => {
    const main = handler(good, { countTokens: () => 1_000 });
    const cheap = handler(replies("Short.", { outputTokens: 200 }), { countTokens: () => 7 });
    const condensed = await summarizeConversation(CONVERSATION, main, SYSTEM, "t", 9_000, true, undefined, cheap);
    expect(condensed.newContextTokens).toBe(1_200);
  });

  test("is the same for the same log", async () => {
    const run = () => summarizeConversation(CONVERSATION, handler(good), SYSTEM, "task", 10_000);
    expect(await run()).toEqual(await run());
  });
});

describe("what the model is asked", () => {
  test("is the messages to summarise, then one user message, with the default prompt and sampling", async () => {
    const model = handler(good);
    await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000);
    const [asked] = model.asked;
    expect(model.asked).toHaveLength(1);
    expect(asked?.systemPrompt).toBe(SUMMARY_PROMPT);
    for (const part of SUMMARY_PARTS) expect(asked?.systemPrompt).toContain(part);
    expect(asked?.call).toMatchObject({ temperature: 0.3, maxOutputTokens: 4_000 });
    expect(asked?.messages.slice(0, -1).map(({ role, content }) => [role, String(content).slice(0, 7).trim()])).toEqual(
      CONVERSATION.slice(0, 9).map(({ role, content }) => [role, String(content).slice(0, 7).trim()]),
    );
    expect(asked?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringMatching(/^Write the summary/),
    });
  });

  test("never holds the agent's own system prompt, nor what is kept", async () => {
    const model = handler(good);
    await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000);
    expect(JSON.stringify(model.asked)).not.toMatch(/careful engineer|reply 9|ask 10|reply 11/);
  });

  test("holds no image", async () => {
    const withImages = CONVERSATION.map((message, index) =>
      index === 2 ? user(image, "look at this", { ...result("x"), content: [image] }) : message,
    );
    const model = handler(good);
    expect(await summarizeConversation(withImages, model, SYSTEM, "task", 10_000)).toMatchObject({ cost: 0.01 });
    const blocks = model.asked.flatMap(({ messages }) => messages.map(({ content }) => content));
    expect(blocks.every((content) => typeof content === "string")).toBe(true);
    expect(JSON.stringify(blocks)).toContain("look at this");
    expect(JSON.stringify(blocks)).not.toContain("SW1hZ2U=");
  });

  test.each([
    ["is used", "Sum up in Latin.", "Sum up in Latin."],
    ["is trimmed", "\n  Sum up in Latin. \t", "Sum up in Latin."],
    ["that is empty gives way to the default", "", SUMMARY_PROMPT],
    ["that is blank gives way to the default", " \n\t ", SUMMARY_PROMPT],
    ["that is absent gives way to the default", undefined, SUMMARY_PROMPT],
  ])("a custom prompt %s", async (_, custom, systemPrompt) => {
    const model = handler(good);
    await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000, true, custom);
    expect(model.asked.map((asked) => asked.systemPrompt)).toEqual([systemPrompt]);
  });

  test.each([[undefined], [null], [{}], ["gpt-4o"], [{ createMessage: 5, getModel: () => ({ id: "x" }) }]])(
    "goes to the main handler where the condensing one is %j",
    async (condensing) => {
      const main = handler(good);
      const condensed = await summarizeConversation(
        CONVERSATION,
        main,
        SYSTEM,
        "task",
        10_000,
        true,
        undefined,
        unchecked(condensing),
      );
      expect(condensed.error).toBeUndefined();
      expect(main.asked).toHaveLength(1);
    },
  );

  test.each([
    ["a condensation", CONVERSATION, undefined],
    ["a failed one", CONVERSATION, FAILING.repliesBlank],
    ["one that is not due", chat(4), undefined],
  ])("%s warns of a condensing handler that cannot be asked", async (_, messages, behaviour) => {
    const run = (condensing: unknown) =>
      summarizeConversation(
        messages,
        handler(behaviour ?? good),
        SYSTEM,
        "task",
        10_000,
        true,
        undefined,
        unchecked(condensing),
      );
    expect((await run({})).warnings).toEqual([expect.stringMatching(/condensingApiHandler.*apiHandler writes/)]);
    expect(await run(undefined)).not.toHaveProperty("warnings");
    expect(await run(handler(good))).not.toHaveProperty("warnings");
  });
});

describe("nothing is applied", () => {
  test.each([
    ["there are not enough messages", chat(5), /not enough messages/i],
    ["there are none", [], /not enough messages/i],
  ])("and nobody is asked when %s", async (_, messages, error) => {
    const model = handler(good);
    const refused = await summarizeConversation(messages, model, SYSTEM, "task", 10_000);
    expect(refused).toEqual({ messages, summary: "", cost: 0, error: expect.stringMatching(error), modelCalls: 0 });
    expect(refused.messages).toBe(messages);
    expect(model.asked).toEqual([]);
  });

  test("and nobody is asked when a summary is among the kept messages", async () => {
    const model = handler(good);
    const once = await summarizeConversation(CONVERSATION, model, SYSTEM, "task", 10_000);
    const twice = await summarizeConversation([...once.messages.slice(0, -1)], model, SYSTEM, "task", 10_000);
    expect(twice.error).toMatch(/condensed recently/i);
    expect(model.asked).toHaveLength(1);
  });

  test("and nobody is asked right after a summary without an id, as Roo Code wrote them", async () => {
    const summary = tag(assistant("What happened before."), { isSummary: true });
    const messages = [...CONVERSATION, summary, user("Go on.")];
    const model = handler(good);
    const refused = await summarizeConversation(messages, model, SYSTEM, "task", 10_000);
    expect(refused).toMatchObject({ summary: "", cost: 0, error: expect.stringMatching(/condensed recently/i) });
    expect(refused.messages).toBe(messages);
    expect(model.asked).toEqual([]);
  });

  test("when the reply is empty: condensing failed", async () => {
    const refused = await summarizeConversation(CONVERSATION, handler(FAILING.repliesBlank), SYSTEM, "task", 10_000);
    expect(refused).toEqual({
      messages: CONVERSATION,
      summary: "",
      cost: 0.01,
      error: expect.stringMatching(/condensing failed/i),
      modelCalls: 1,
    });
  });

  test.each([
    ["as large as before", 0],
    ["larger than before", 1],
  ])("when the context would be %s: context grew", async (_, more) => {
    const model = () => handler(replies("Short.", { outputTokens: 700 }));
    const { newContextTokens = 0 } = await summarizeConversation(CONVERSATION, model(), SYSTEM, "task", 10_000);
    const before = newContextTokens - more;
    const refused = await summarizeConversation(CONVERSATION, model(), SYSTEM, "task", before);
    expect(refused).toMatchObject({ summary: "", cost: 0.01, error: expect.stringMatching(/context grew/i) });
    expect(refused.messages).toBe(CONVERSATION);
    expect(refused).not.toHaveProperty("condenseId");
    expect(await summarizeConversation(CONVERSATION, model(), SYSTEM, "task", newContextTokens + 1)).toMatchObject({
      newContextTokens,
    });
  });
});

test.each([false, true])("works at any fill (automatic: %s)", async (isAutomatic) => {
  const messages = CONVERSATION.slice(0, 7);
  const size = countMessagesTokens(messages) + countTextTokens(SYSTEM);
  const condensed = await summarizeConversation(messages, handler(good), SYSTEM, "task", size, isAutomatic);
  expect(condensed.error).toBeUndefined();
  expect(condensed.newContextTokens).toBeLessThan(size);
});

test("native tools or not, pairs stay whole and nothing is lost", async () => {
  const filler = "and more of it ".repeat(60);
  const messages = log(
    user(`Fix the build. ${filler}`),
    assistant({ type: "reasoning", text: "look" }, call("c1"), call("c2")),
    user(result("c1", filler), result("c2", filler)),
    assistant(`I see. ${filler}`, call("c3")),
    tag(user(result("c3", filler)), { important: true }),
    assistant({ type: "reasoning", text: "again", signature: "c2ln" }, call("c4")),
    user(result("c4")),
    assistant("Done."),
    user("Thanks."),
  );
  for (const native of [false, true]) {
    const { messages: condensed, condenseId = "" } = await summarizeConversation(
      messages,
      handler(good),
      SYSTEM,
      "task",
      10_000,
      true,
      undefined,
      undefined,
      native,
    );
    const view = effectiveView(condensed);
    expect(validateView(view)).toEqual([]);
    expect(ids(view)).toEqual(["m0", "m3", "m4", condenseId, "m6", "m7", "m8"]);
    expect(view[3]?.content).toMatchObject([{}, { signature: "c2ln" }, { text: GOOD_SUMMARY }, {}, { id: "c4" }]);
    expect(restoreMessages(condensed, condenseId)).toEqual(messages);
  }
});

test("arguments that cannot be right are refused by name", async () => {
  const model = handler(good);
  const run = (...fields: readonly unknown[]) =>
    Reflect.apply(
      summarizeConversation,
      undefined,
      [CONVERSATION, model, SYSTEM, "task", 10_000].toSpliced(0, fields.length, ...unchecked<never[]>(fields)),
    );
  await expect(run([null])).rejects.toThrow(/messages\[0\]/);
  await expect(run(CONVERSATION, {})).rejects.toThrow(/apiHandler\.createMessage/);
  await expect(run(CONVERSATION, model, undefined)).rejects.toThrow(/systemPrompt is undefined/);
  await expect(run(CONVERSATION, model, SYSTEM, 5)).rejects.toThrow(/taskId is 5/);
  await expect(run(CONVERSATION, model, SYSTEM, "task", Number.NaN)).rejects.toThrow(/prevContextTokens is NaN/);
  await expect(run(CONVERSATION, model, SYSTEM, "task", 1, true, 5)).rejects.toThrow(/customCondensingPrompt is 5/);
  expect(model.asked).toEqual([]);
});

test("the given messages are never changed", async () => {
  const frozen: readonly Message[] = deepFreeze(structuredClone(CONVERSATION));
  expect((await summarizeConversation(frozen, handler(good), SYSTEM, "task", 10_000)).error).toBeUndefined();
});
