/** The condensing step of manageContext, and what follows when it fails. */
import { describe, expect, test } from "vitest";
import { FAILING, GOOD_SUMMARY, good, handler, replies } from "../../test/support/handlers.ts";
import { longTalk, SETTINGS, toolLoop, totalTokens, words } from "../../test/support/long-talk.ts";
import { assistant, call, condense, ids, result, tag, user } from "../../test/support/messages.ts";
import { untyped } from "../../test/support/sessions.ts";
import { restoreAllMessages, restoreMessages } from "../core/history/restore.ts";
import { effectiveView } from "../core/message/effective-view.ts";
import type { Message } from "../core/message/message.ts";
import { validateView } from "../core/message/validate-view.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import { countTextTokens } from "../core/tokens/o200k/count-text-tokens.ts";
import { type ManageContextOptions, manageContext } from "./manage-context.ts";

type Changes = Partial<ManageContextOptions>;

function manage(messages: readonly Message[], changes: Changes = {}) {
  const total = totalTokens(messages, changes.systemPrompt ?? SETTINGS.systemPrompt);
  return manageContext({ ...SETTINGS, messages, totalTokens: total, apiHandler: handler(good), ...changes });
}

const viewTokens = (messages: readonly Message[]) => countMessagesTokens(effectiveView(messages));
const systemTokens = countTextTokens(SETTINGS.systemPrompt);

/** 24,400 tokens: over the threshold of 24,000, under the limit of 24,800. */
const full = longTalk(25, 975);
/** 41,000 tokens: over the limit. */
const over = longTalk(41, 1_000);

/** What is no handler, or cannot be read. */
const BROKEN: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /^apiHandler is undefined/],
  ["no object", "claude", /^apiHandler is "claude"/],
  ["without createMessage", { getModel: () => ({ id: "any" }) }, /^apiHandler\.createMessage is/],
  ["without getModel", { createMessage: async function* () {} }, /^apiHandler\.getModel is/],
  ["with a createMessage that throws when it is read", throwing("createMessage"), /^apiHandler cannot be read: broken/],
  ["with a getModel that throws when it is read", throwing("getModel"), /^apiHandler cannot be read: broken/],
];

function throwing(name: string): object {
  const broken = { getModel: () => ({ id: "any" }), createMessage: async function* () {} };
  return Object.defineProperty(broken, name, {
    get() {
      throw new Error("broken");
    },
  });
}

describe.each(BROKEN)("a handler that is %s", (_, given, error) => {
  const apiHandler = untyped(given);

  test("is an error in the result, and the messages stay where they fit", async () => {
    expect(await manage(full, { apiHandler })).toMatchObject({ messages: full, error: expect.stringMatching(error) });
    const fits = await manage(full.slice(0, 4), { apiHandler, totalTokens: 10 });
    expect(fits).toMatchObject({ error: expect.stringMatching(error), cost: 0 });
  });

  test("does not keep the context from being truncated", async () => {
    const outcome = await manage(over, { apiHandler });
    expect(outcome).toMatchObject({ error: expect.stringMatching(error), truncationId: expect.any(String) });
    expect(outcome.newContextTokensAfterTruncation).toBeLessThan(24_800);
  });

  test("is not missed where another one condenses, and throws nothing where it is to condense itself", async () => {
    const condensed = await manage(full, { apiHandler, condensingApiHandler: handler(good) });
    expect(condensed.condenseId).toBeDefined();
    expect(condensed.error).toBeUndefined();
    const other = await manage(full, { condensingApiHandler: apiHandler });
    expect(other.condenseId ?? other.error).toBeDefined();
  });
});

test("a countTokens that throws when it is read is not asked", async () => {
  const apiHandler = Object.defineProperty(handler(good), "countTokens", {
    get() {
      throw new Error("broken");
    },
  });
  expect((await manage(full, { apiHandler })).condenseId).toBeDefined();
});

describe("condensing", () => {
  test("starts exactly at the threshold, and returns the condensation", async () => {
    const model = handler(replies(GOOD_SUMMARY, { totalCost: 0.07 }));
    const outcome = await manage(full, { apiHandler: model });
    expect(model.asked).toHaveLength(1);
    expect(outcome).toMatchObject({ summary: GOOD_SUMMARY, cost: 0.07 });
    expect(outcome.error).toBeUndefined();
    const [first, summary, ...kept] = effectiveView(outcome.messages);
    expect([first, ...kept]).toEqual([full[0], ...full.slice(-3)]);
    expect(summary).toMatchObject({ isSummary: true, condenseId: outcome.condenseId, role: "assistant" });
    expect(outcome.newContextTokens).toBe(systemTokens + viewTokens(outcome.messages));
    const fields = ["messages", "summary", "cost", "newContextTokens", "condenseId", "prevContextTokens"];
    expect(Object.keys(outcome).sort()).toEqual(fields.sort());
  });

  test.each([
    ["just under", 1, 0],
    ["at", 0, 1],
  ])("is asked for %s the threshold: %d tokens less, %d request", async (_, missing, requests) => {
    const model = handler(good);
    const lastMessageTokens = countMessagesTokens(full.slice(-1));
    await manage(full, { apiHandler: model, totalTokens: 24_000 - lastMessageTokens - missing });
    expect(model.asked).toHaveLength(requests);
  });

  test("starts over the limit too, whatever the threshold", async () => {
    const model = handler(good);
    const outcome = await manage(over, { apiHandler: model, autoCondenseContextPercent: 1_000 });
    expect(model.asked.length).toBeGreaterThan(0);
    expect(outcome.condenseId).toBeDefined();
    expect(outcome).not.toHaveProperty("truncationId");
  });

  test("uses the custom prompt, and the condensing handler in place of the main one", async () => {
    const [main, cheap] = [handler(good), handler(good)];
    await manage(full, { apiHandler: main, condensingApiHandler: cheap, customCondensingPrompt: "Only the facts." });
    expect(main.asked).toHaveLength(0);
    expect(cheap.asked.map((request) => request.systemPrompt)).toEqual(["Only the facts."]);
  });

  test("falls back to the main handler with a warning where the condensing one cannot be asked", async () => {
    const main = handler(good);
    const condensingApiHandler = JSON.parse("{}");
    const outcome = await manage(full, { apiHandler: main, condensingApiHandler });
    expect(main.asked).toHaveLength(1);
    expect(outcome.condenseId).toBeDefined();
    expect(outcome.warnings).toEqual([expect.stringContaining("condensingApiHandler")]);
  });

  test("makes no difference between native tools and others", async () => {
    const loop = toolLoop(25, 1_000);
    const [native, text] = await Promise.all([manage(loop, { useNativeTools: true }), manage(loop)]);
    expect(JSON.stringify(native)).toBe(JSON.stringify(text));
    expect(validateView(effectiveView(native.messages))).toEqual([]);
  });

  test("with a tool call that is running lets its result pair up later", async () => {
    const running = [...longTalk(25, 1_000), tag(assistant(call("t9", "run", { command: "make" })), { id: "run" })];
    const outcome = await manage(running);
    expect(outcome.condenseId).toBeDefined();
    const later = [...outcome.messages, tag(user(result("t9", "built")), { id: "built" })];
    expect(validateView(effectiveView(later))).toEqual([]);
    expect(ids(effectiveView(later)).slice(-2)).toEqual(["run", "built"]);
  });

  test("is undone to the last byte by restoring its fold", async () => {
    const outcome = await manage(full);
    const restored = restoreMessages(outcome.messages, outcome.condenseId ?? "");
    expect(JSON.stringify(restored)).toBe(JSON.stringify(full));
  });
});

describe("a summary without an id, as Roo Code wrote them,", () => {
  const summary = tag(assistant("Keys rotate every 24 hours."), { id: "s1", isSummary: true });

  test.each([
    ["what happened", summary],
    ["a decision", { ...summary, ...assistant("Keys rotate every 24 hours. We decided to use SQLite.") }],
    ["a rule, as the user", { ...summary, ...user("Keys rotate every 24 hours. Never touch src/billing.ts.") }],
  ])(
    "is handed on as the earlier summary, and not once more in the conversation, where it tells %s",
    async (_, told) => {
      const model = handler(good);
      const outcome = await manage(full.toSpliced(2, 0, told), { apiHandler: model });
      expect(outcome.condenseId).toBeDefined();
      expect(ids(effectiveView(outcome.messages))).not.toContain("s1");
      const request = model.asked.flatMap(({ messages }) => messages.map(({ content }) => JSON.stringify(content)));
      expect(request.filter((content) => content.includes("Keys rotate"))).toEqual([request.at(-1)]);
    },
  );

  test("is not condensed again at once", async () => {
    const model = handler(good);
    const messages = full.toSpliced(-1, 0, summary);
    const outcome = await manage(messages, { apiHandler: model });
    expect(outcome.error).toMatch(/condensed recently/);
    expect(outcome.messages).toBe(messages);
    expect(model.asked).toHaveLength(0);
  });
});

describe("condensing that fails", () => {
  test.each(Object.entries(FAILING))(
    "because the model %s leaves a context under the limit as it is, with the error",
    async (_, fails) => {
      const outcome = await manage(full, { apiHandler: handler(fails) });
      expect(outcome.messages).toBe(full);
      expect(outcome.error).toBeTruthy();
      expect(outcome.summary).toBe("");
      for (const field of ["condenseId", "newContextTokens", "truncationId", "newContextTokensAfterTruncation"]) {
        expect(outcome).not.toHaveProperty(field);
      }
    },
  );

  test("is remembered with its cost next to the truncation that follows over the limit", async () => {
    const outcome = await manage(over, { apiHandler: handler(FAILING.onlyReasons) });
    expect(outcome).toMatchObject({ cost: 0.01, summary: "", error: expect.stringContaining("no text") });
    expect(outcome.truncationId).toBeDefined();
    expect(outcome.newContextTokensAfterTruncation).toBe(systemTokens + viewTokens(outcome.messages));
    const condensing = ["messages", "summary", "cost", "error", "prevContextTokens"];
    const truncation = ["truncationId", "messagesRemoved", "newContextTokensAfterTruncation"];
    expect(Object.keys(outcome).sort()).toEqual([...condensing, ...truncation].sort());
  });

  test("because the context would grow is refused, and truncation follows over the limit", async () => {
    const grown = replies(words(50_000), { totalCost: 0.4 });
    const under = await manage(full, { apiHandler: handler(grown) });
    expect(under).toMatchObject({ cost: 0.4, error: expect.stringContaining("grew") });
    expect(under.messages).toBe(full);
    const beyond = await manage(over, { apiHandler: handler(grown) });
    expect(beyond).toMatchObject({ cost: 0.4, error: expect.stringContaining("grew") });
    expect(beyond.newContextTokensAfterTruncation).toBeLessThanOrEqual(24_800);
  });

  test("because the summary is larger than what is allowed is refused, and truncation follows", async () => {
    const outcome = await manage(over, { apiHandler: handler(replies(words(30_000), { totalCost: 0.3 })) });
    expect(outcome).toMatchObject({ cost: 0.3, error: expect.stringContaining("too large") });
    expect(outcome).not.toHaveProperty("condenseId");
    expect(outcome.truncationId).toBeDefined();
    expect(restoreAllMessages(outcome.messages)).toEqual(over);
  });

  test("because there is too little to condense is an error without a request", async () => {
    const model = handler(good);
    const few = longTalk(3, 8_200);
    const outcome = await manage(few, { apiHandler: model });
    expect(model.asked).toHaveLength(0);
    expect(outcome.error).toMatch(/not enough messages/);
    const summarised = condense(longTalk(9, 4_000), "c1", ["m1", "m2", "m3", "m4", "m5", "m6"]);
    const again = await manage(summarised.slice(0, -1), { apiHandler: model, totalTokens: 24_500 });
    expect(again.error).toMatch(/condensed recently/);
    expect(model.asked).toHaveLength(0);
  });
});
