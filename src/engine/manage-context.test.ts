import { describe, expect, test } from "vitest";
import { good, handler } from "../../test/support/handlers.ts";
import { longTalk, SETTINGS, toolLoop, totalTokens, words } from "../../test/support/long-talk.ts";
import { assistant, call, ids, result, tag, user } from "../../test/support/messages.ts";
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

/** 18,000 tokens: under the threshold. */
const small = longTalk(19, 950);
/** 24,400 tokens: over the threshold of 24,000, under the limit of 24,800. */
const full = longTalk(25, 975);
/** 41,000 tokens: over the limit. */
const over = longTalk(41, 1_000);

describe("a context under the threshold", () => {
  test("comes back unchanged, with its size and nothing else", async () => {
    const model = handler(good);
    const outcome = await manage(small, { apiHandler: model });
    const prevContextTokens = systemTokens + viewTokens(small);
    expect(outcome).toEqual({ messages: small, summary: "", cost: 0, prevContextTokens });
    expect(outcome.messages).toBe(small);
    expect(model.asked).toHaveLength(0);
  });

  test("of no message at all is fine", async () => {
    expect(await manage([])).toEqual({ messages: [], summary: "", cost: 0, prevContextTokens: systemTokens });
  });
});

describe("the size before", () => {
  test("is the total, which leaves the last message out, and the last message", async () => {
    const messages = [...small, tag(assistant(words(700)), { id: "last" })];
    const lastMessageTokens = countMessagesTokens(messages.slice(-1));
    const { prevContextTokens } = await manage(messages, { totalTokens: 12_345 });
    expect(prevContextTokens).toBe(12_345 + lastMessageTokens);
  });
});

describe("truncating", () => {
  const off = { autoCondenseContext: false };

  test("hides half of what lies behind the first message, and recounts", async () => {
    const outcome = await manage(over, off);
    expect(outcome.messagesRemoved).toBe(20);
    expect(ids(effectiveView(outcome.messages))).toEqual(["m0", outcome.truncationId, ...ids(over.slice(21))]);
    expect(outcome.newContextTokensAfterTruncation).toBe(systemTokens + viewTokens(outcome.messages));
    expect(outcome).toMatchObject({ summary: "", cost: 0 });
    for (const field of ["condenseId", "newContextTokens", "error", "warnings"])
      expect(outcome).not.toHaveProperty(field);
  });

  test("goes on until it fits where half is not enough, behind one marker", async () => {
    const outcome = await manage(longTalk(41, 4_000), off);
    expect(outcome.messagesRemoved).toBeGreaterThan(20);
    expect(outcome.newContextTokensAfterTruncation).toBeLessThanOrEqual(24_800);
    expect(outcome.messages.filter((message) => message.isTruncationMarker === true)).toHaveLength(1);
  });

  test("is undone to the last byte by restoring its fold", async () => {
    const outcome = await manage(over, off);
    expect(JSON.stringify(restoreMessages(outcome.messages, outcome.truncationId ?? ""))).toBe(JSON.stringify(over));
  });

  test("keeps tool pairs whole, and important messages", async () => {
    const loop = toolLoop(40, 1_000).map((message) =>
      message.id === "m5" ? tag(message, { important: true }) : message,
    );
    const outcome = await manage(loop, off);
    const view = effectiveView(outcome.messages);
    expect(validateView(view)).toEqual([]);
    expect(ids(view)).toEqual(expect.arrayContaining(["m0", "m5", "m6", "m79", "m80"]));
    expect(restoreAllMessages(outcome.messages)).toEqual(loop);
  });

  test("with a tool call that is running lets its result pair up later", async () => {
    const running = [...over, tag(assistant(call("t9", "run", { command: "make" })), { id: "run" })];
    const outcome = await manage(running, off);
    const later = [...outcome.messages, tag(user(result("t9", "built")), { id: "built" })];
    expect(validateView(effectiveView(later))).toEqual([]);
  });

  test("clips one message that is larger than the window, and says what was done", async () => {
    const outcome = await manage([...longTalk(2, 100), tag(user(words(60_000)), { id: "huge" })], off);
    expect(outcome.newContextTokensAfterTruncation).toBeLessThanOrEqual(24_800);
    expect(outcome.messagesRemoved).toBe(0);
    expect(outcome.messages.at(-1)?.folds?.map((fold) => fold.kind)).toEqual(["clip"]);
  });
});

describe("with condensing off", () => {
  test("a context over the threshold, but not over the limit, is left alone", async () => {
    const model = handler(good);
    const outcome = await manage(full, {
      apiHandler: model,
      autoCondenseContext: false,
      autoCondenseContextPercent: 5,
    });
    expect(outcome.messages).toBe(full);
    expect(model.asked).toHaveLength(0);
  });

  test("no model is asked over the limit either, however far, and whatever profile and prompt say", async () => {
    const [main, cheap] = [handler(good), handler(good)];
    for (const tokensEach of [1_000, 5_000]) {
      const outcome = await manage(longTalk(41, tokensEach), {
        apiHandler: main,
        condensingApiHandler: cheap,
        customCondensingPrompt: "Only the facts.",
        autoCondenseContext: false,
        profileThresholds: { default: 5 },
      });
      expect(outcome.truncationId).toBeDefined();
      expect(outcome.error).toBeUndefined();
    }
    expect([...main.asked, ...cheap.asked]).toEqual([]);
  });
});

describe("a window under 8,000 tokens", () => {
  test.each([
    [7_999, 0],
    [8_000, 1],
  ])("never asks a model: with %d tokens there are %d requests", async (contextWindow, requests) => {
    const model = handler(good);
    const outcome = await manage(longTalk(15, 600), { apiHandler: model, contextWindow, maxTokens: 1_000 });
    expect(model.asked).toHaveLength(requests);
    expect(outcome.truncationId === undefined).toBe(requests > 0);
    expect(viewTokens(outcome.messages)).toBeLessThanOrEqual(contextWindow * 0.9 - 1_000);
  });

  test("does nothing between threshold and limit", async () => {
    const talk = longTalk(9, 600);
    const outcome = await manage(talk, { contextWindow: 7_999, maxTokens: 1_000, autoCondenseContextPercent: 50 });
    expect(outcome.messages).toBe(talk);
  });
});

describe("the profile's threshold", () => {
  test.each([
    ["inherits the global one at -1", { fast: -1 }, 0],
    ["replaces the global one", { fast: 50 }, 1],
    ["at its least is 5", { fast: 5 }, 1],
    ["at its most is 100", { fast: 100 }, 0],
    ["of another profile does not matter", { slow: 5 }, 0],
  ])("%s", async (_, profileThresholds, requests) => {
    const model = handler(good);
    const outcome = await manage(small, { apiHandler: model, profileThresholds, currentProfileId: "fast" });
    expect(model.asked).toHaveLength(requests);
    expect(outcome).not.toHaveProperty("warnings");
  });

  test.each([4.99, 100.01, 0, -2, Number.NaN, Number.POSITIVE_INFINITY])(
    "of %d is reported with the value, the profile and the fallback, and the global one applies",
    async (own) => {
      for (const [global, requests] of [
        [75, 0],
        [50, 1],
      ]) {
        const model = handler(good);
        const outcome = await manage(small, {
          apiHandler: model,
          autoCondenseContextPercent: global ?? 0,
          profileThresholds: { fast: own },
          currentProfileId: "fast",
        });
        expect(model.asked).toHaveLength(requests ?? 0);
        expect(outcome.warnings).toHaveLength(1);
        for (const part of [String(own), '"fast"', `${global} %`]) expect(outcome.warnings?.[0]).toContain(part);
      }
    },
  );
});

describe("options that cannot be right", () => {
  test.each<[string, unknown]>([
    ["messages", "hello"],
    ["totalTokens", Number.NaN],
    ["totalTokens", -1],
    ["contextWindow", 0],
    ["maxTokens", -5],
    ["systemPrompt", undefined],
    ["autoCondenseContextPercent", Number.NaN],
    ["profileThresholds", null],
  ])("are refused by name: %s is %s", async (field, value) => {
    const options = { ...SETTINGS, messages: small, totalTokens: 0, apiHandler: handler(good), [field]: value };
    await expect(manageContext(options)).rejects.toThrow(field);
  });

  test("but an absent reply allowance is the provider's default of 8,192", async () => {
    const settings = { maxTokens: undefined, autoCondenseContext: false, totalTokens: 20_608 };
    const talk = [...longTalk(20, 1_000), tag(user(""), { id: "empty" })];
    expect((await manage(talk, settings)).truncationId).toBeUndefined();
    expect((await manage(talk, { ...settings, totalTokens: 20_609 })).truncationId).toBeDefined();
  });
});
