import { describe, expect, test } from "vitest";
import { GOOD_SNAPSHOT, handler, hangs, replies, type ScriptedHandler } from "../../test/support/handlers.ts";
import { longTalk, words } from "../../test/support/long-talk.ts";
import { log, user } from "../../test/support/messages.ts";
import { effectiveView } from "../core/message/effective-view.ts";
import type { Message } from "../core/message/message.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import {
  type ChatCompressionOptions,
  ChatCompressionService,
  CompressionStatus,
  type CompressRequest,
  DEFAULT_COMPRESSION_TOKEN_THRESHOLD,
} from "./chat-compression-service.ts";

/** Its window is 16,000 tokens, so 8,000 trigger. */
const MODEL = "gpt-3.5-turbo";
const good = replies(GOOD_SNAPSHOT);

/** 5,000 tokens. */
const small = longTalk(10, 500);
/** 10,000 tokens. */
const large = longTalk(20, 500);

interface Setting {
  readonly model?: ScriptedHandler;
  readonly options?: Partial<ChatCompressionOptions>;
}

function compress(messages: readonly Message[], request: Partial<CompressRequest> = {}, setting: Setting = {}) {
  const { model = handler(good), options } = setting;
  const service = new ChatCompressionService({ handlerFor: () => model, ...options });
  return service.compress({ messages, model: MODEL, ...request });
}

/** What every outcome but COMPRESSED has in common. */
async function expectUntouched(compression: ReturnType<typeof compress>, messages: readonly Message[]) {
  const { info, newHistory, messages: after } = await compression;
  expect(after).toBe(messages);
  expect(newHistory).toBeNull();
  expect(info).not.toHaveProperty("condenseId");
  return info;
}

test("the manual command compresses a single large message before the kept part", async () => {
  const messages = log(user(words(6_000)), user("And now this."), user("Go on."));
  const { info } = await compress(messages, { force: true });
  expect(info).toMatchObject({ compressionStatus: "COMPRESSED" });
  expect(info.newTokenCount).toBeLessThan(info.originalTokenCount / 2);
  await expectUntouched(compress(messages, { originalTokenCount: 9_000 }), messages);
});

test.each([
  ["with verify, the model is asked once more what its snapshot left out", true, 2],
  ["without it, the model is asked once", undefined, 1],
])("%s", async (_, verify, calls) => {
  const model = handler(good);
  const { info } = await compress(large, {}, { model, options: verify === undefined ? {} : { verify } });
  expect(info.compressionStatus).toBe("COMPRESSED");
  expect(model.asked).toHaveLength(calls);
});

describe("the trigger", () => {
  test("is half of the model's window", async () => {
    expect(DEFAULT_COMPRESSION_TOKEN_THRESHOLD).toBe(0.5);
    const model = handler(good);
    const info = await expectUntouched(compress(large, { originalTokenCount: 7_999 }, { model }), large);
    expect(info).toEqual({ originalTokenCount: 7_999, newTokenCount: 7_999, compressionStatus: "NOOP", cost: 0 });
    expect(model.asked).toHaveLength(0);
    expect((await compress(large, { originalTokenCount: 8_000 })).info.compressionStatus).toBe("COMPRESSED");
  });

  test("follows the window of the model that is asked about", async () => {
    const request = { originalTokenCount: 8_000 };
    expect((await compress(large, { ...request, model: "gemini-2.5-pro" })).info.compressionStatus).toBe("NOOP");
  });

  test("follows a window that the caller knows better", async () => {
    const status = async (contextWindow: number) =>
      (await compress(large, { originalTokenCount: 8_000, contextWindow })).info.compressionStatus;
    expect([await status(16_001), await status(16_000)]).toEqual(["NOOP", "COMPRESSED"]);
  });

  test("counts the history where no size was reported: the view, not what is hidden", async () => {
    expect((await compress(small)).info).toMatchObject({
      compressionStatus: "NOOP",
      originalTokenCount: countMessagesTokens(small),
    });
    const compressed = await compress(large);
    expect(compressed.info.originalTokenCount).toBe(countMessagesTokens(large));
    const again = await compress(compressed.messages);
    expect(again.info).toMatchObject({
      compressionStatus: "NOOP",
      originalTokenCount: compressed.info.newTokenCount,
    });
  });

  test("may be set", async () => {
    const options = { threshold: 0.2 };
    expect((await compress(small, {}, { options })).info.compressionStatus).toBe("COMPRESSED");
  });

  test.each([
    [0.95 * 11_000, "NOOP"],
    [0.95 * 11_000 + 1, "COMPRESSED"],
  ])("is also a next request of more than 95 % of what remains: %d tokens of 11,000 → %s", async (pending, status) => {
    const request = { originalTokenCount: 5_000, pendingRequestTokens: pending };
    expect((await compress(small, request)).info.compressionStatus).toBe(status);
  });

  test("is passed by the manual command at any fill", async () => {
    const { info, newHistory } = await compress(small, { force: true });
    expect(info.compressionStatus).toBe("COMPRESSED");
    expect(newHistory).not.toBeNull();
  });

  test("is off after a failed attempt, but for the manual command", async () => {
    const model = handler(good);
    const failed = { hasFailedCompressionAttempt: true, pendingRequestTokens: 20_000 };
    const info = await expectUntouched(compress(large, failed, { model }), large);
    expect(info.compressionStatus).toBe("NOOP");
    expect(model.asked).toHaveLength(0);
    const forced = await compress(large, { ...failed, force: true }, { model });
    expect(forced.info.compressionStatus).toBe("COMPRESSED");
  });

  test("with nothing to compress is no failure, and asks no model", async () => {
    const model = handler(good);
    for (const messages of [[], log(user("Hello.")), log(user(words(9_000)))]) {
      const info = await expectUntouched(compress(messages, { force: true }, { model }), messages);
      expect(info.compressionStatus).toBe("NOOP");
      expect(info.error).toMatch(/not enough messages/);
    }
    expect(model.asked).toHaveLength(0);
  });
});

describe("the status", () => {
  test("has a name for every outcome", () => {
    expect(Object.keys(CompressionStatus).sort()).toEqual([
      "COMPRESSED",
      "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT",
      "COMPRESSION_FAILED_MODEL_ERROR",
      "COMPRESSION_FAILED_TOKEN_COUNT_ERROR",
      "NOOP",
    ]);
    for (const [name, value] of Object.entries(CompressionStatus)) expect(value).toBe(name);
  });

  test("of a success comes with the sizes, the cost and the fold", async () => {
    const { info, messages, newHistory } = await compress(large);
    expect(info).toEqual({
      compressionStatus: "COMPRESSED",
      originalTokenCount: countMessagesTokens(large),
      newTokenCount: countMessagesTokens(newHistory ?? []),
      cost: 0.01,
      condenseId: expect.stringMatching(/^condense-/),
    });
    expect(newHistory).toEqual(effectiveView(messages));
  });

  test("of a history that would grow leaves it untouched, and tells both sizes", async () => {
    const inflated = handler(replies(GOOD_SNAPSHOT.replace("Node 24", words(9_000))));
    const info = await expectUntouched(compress(large, {}, { model: inflated }), large);
    expect(info).toMatchObject({ compressionStatus: "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT", cost: 0.01 });
    expect(info.newTokenCount).toBeGreaterThan(info.originalTokenCount);
  });

  test("of a history that would grow is not hidden by a system prompt in the reported size", async () => {
    const inflated = handler(replies(GOOD_SNAPSHOT.replace("Node 24", words(9_000))));
    const info = await expectUntouched(compress(large, { originalTokenCount: 15_000 }, { model: inflated }), large);
    expect(info.compressionStatus).toBe("COMPRESSION_FAILED_INFLATED_TOKEN_COUNT");
  });

  test("of a history that is as large as before is a success: only more is too much", async () => {
    const options = { countHistory: () => 9_000 };
    expect((await compress(large, {}, { options })).info).toMatchObject({
      compressionStatus: "COMPRESSED",
      newTokenCount: 9_000,
    });
    const told = await compress(large, { originalTokenCount: 8_999 }, { options });
    expect(told.info.compressionStatus).toBe("COMPRESSION_FAILED_INFLATED_TOKEN_COUNT");
  });
});

describe("the model that compresses", () => {
  async function askedFor(model: string, compressionModels?: ChatCompressionOptions["compressionModels"]) {
    const asked: string[] = [];
    const handlerFor = (id: string) => {
      asked.push(id);
      return handler(good);
    };
    const options = compressionModels === undefined ? { handlerFor } : { handlerFor, compressionModels };
    await compress(large, { model, force: true }, { options });
    return asked;
  }

  const mapping = {
    models: { "gemini-2.5-pro": "gemini-2.5-flash", sonnet: "haiku" },
    default: "gemini-2.5-flash-lite",
  };

  test.each([
    ["gemini-2.5-pro", "gemini-2.5-flash"],
    ["sonnet", "haiku"],
    ["gpt-5", "gemini-2.5-flash-lite"],
    ["constructor", "gemini-2.5-flash-lite"],
  ])("for %s is %s by the mapping", async (model, expected) => {
    expect(await askedFor(model, mapping)).toEqual([expected]);
  });

  test("is the conversation's own without a mapping, or without a default in it", async () => {
    expect(await askedFor("gpt-5")).toEqual(["gpt-5"]);
    expect(await askedFor("gpt-5", { models: { sonnet: "haiku" } })).toEqual(["gpt-5"]);
  });

  test("is asked to think in a scratchpad, then to write a snapshot with five parts", async () => {
    const model = handler(good);
    await compress(large, {}, { model });
    const { systemPrompt = "", messages = [], call } = model.asked[0] ?? {};
    const parts = ["overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"];
    const tags = ["scratchpad", "state_snapshot", ...parts].map((part) => systemPrompt.indexOf(`<${part}>`));
    expect(tags).toEqual(tags.toSorted((a, b) => a - b));
    expect(tags[0]).toBeGreaterThan(0);
    for (const label of ["CWD", "READ", "MODIFIED", "CREATED", "DELETED", "[DONE]", "[IN PROGRESS]", "[TODO]"]) {
      expect(systemPrompt).toContain(label);
    }
    expect(messages.at(-1)?.role).toBe("user");
    expect(call?.maxOutputTokens).toBeGreaterThan(0);
  });

  test("is asked with the prompt that the request brings", async () => {
    const model = handler(good);
    await compress(large, { prompt: "  Write a snapshot.  " }, { model });
    expect(model.asked[0]?.systemPrompt).toBe("Write a snapshot.");
  });

  test("may be given up by the caller", async () => {
    const controller = new AbortController();
    const compression = compress(large, { signal: controller.signal }, { model: handler(hangs) });
    setTimeout(() => controller.abort(), 5);
    expect((await expectUntouched(compression, large)).compressionStatus).toBe("COMPRESSION_FAILED_MODEL_ERROR");
  });
});

describe("arguments that cannot be right", () => {
  test.each<[string, object]>([
    ["options.handlerFor", { handlerFor: "gpt-5" }],
    ["options.threshold", { handlerFor: () => handler(good), threshold: 50 }],
    ["options.threshold", { handlerFor: () => handler(good), threshold: Number.NaN }],
  ])("are refused by name: %s", (name, options) => {
    expect(() => Reflect.construct(ChatCompressionService, [options])).toThrow(name);
  });

  test.each<[string, object]>([
    ["messages", { messages: "hello" }],
    ["request.originalTokenCount", { originalTokenCount: Number.NaN }],
    ["request.pendingRequestTokens", { pendingRequestTokens: -1 }],
  ])("are refused by name in a request: %s", async (name, request) => {
    await expect(compress(large, request)).rejects.toThrow(name);
  });
});
