/** A compression with counters and hooks that fail: they are other people's code. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { GOOD_SNAPSHOT, handler, replies } from "../../test/support/handlers.ts";
import { longTalk } from "../../test/support/long-talk.ts";
import type { Message } from "../core/message/message.ts";
import type { PreCompressEvent } from "../core/ports/hooks.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import {
  type ChatCompressionOptions,
  ChatCompressionService,
  type CompressRequest,
} from "./chat-compression-service.ts";

/** 5,000 and 10,000 tokens; 8,000 trigger. */
const small = longTalk(10, 500);
const large = longTalk(20, 500);
const good = replies(GOOD_SNAPSHOT);

function compress(
  messages: readonly Message[],
  options: Partial<ChatCompressionOptions>,
  {
    model = handler(good),
    ...request
  }: Partial<Omit<CompressRequest, "model">> & { model?: ReturnType<typeof handler> } = {},
) {
  const service = new ChatCompressionService({ handlerFor: () => model, ...options });
  return service.compress({ messages, model: "gpt-3.5-turbo", ...request });
}

async function expectUntouched(compression: ReturnType<typeof compress>) {
  const { info, newHistory, messages } = await compression;
  expect(messages).toBe(large);
  expect(newHistory).toBeNull();
  return info;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a history that cannot be counted", () => {
  const COUNT_ERROR = "COMPRESSION_FAILED_TOKEN_COUNT_ERROR";

  test.each<[string, NonNullable<ChatCompressionOptions["countHistory"]>]>([
    [
      "throws",
      () => {
        throw new Error("no network");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no network"))],
    ["gives NaN", () => Number.NaN],
    ["gives a negative number", async () => -1],
    ["gives a text", () => JSON.parse('"many"')],
  ])("because the counter %s stays untouched, before a model is paid for", async (_, countHistory) => {
    for (const request of [{}, { originalTokenCount: 9_000 }, { force: true }]) {
      const model = handler(good);
      const info = await expectUntouched(compress(large, { countHistory }, { ...request, model }));
      expect(info).toMatchObject({ compressionStatus: COUNT_ERROR, cost: 0 });
      expect(model.asked).toHaveLength(0);
    }
  });

  test("only once it is compressed stays untouched, and the cost is told", async () => {
    const countHistory = (history: readonly Message[]) => (history.length === large.length ? 9_000 : Number.NaN);
    const info = await expectUntouched(compress(large, { countHistory }));
    expect(info).toMatchObject({ compressionStatus: COUNT_ERROR, cost: 0.01, originalTokenCount: 9_000 });
  });

  test("because the counter never answers is not waited for for ever", async () => {
    vi.useFakeTimers();
    const compression = compress(large, { countHistory: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await expectUntouched(compression)).compressionStatus).toBe(COUNT_ERROR);
  });

  test("is counted by a counter that answers later all the same", async () => {
    const countHistory = async (history: readonly Message[]) => 2 * countMessagesTokens(history);
    const { info, newHistory } = await compress(small, { countHistory });
    expect(info).toMatchObject({
      compressionStatus: "COMPRESSED",
      originalTokenCount: 2 * countMessagesTokens(small),
      newTokenCount: 2 * countMessagesTokens(newHistory ?? []),
    });
  });
});

describe("the hook before a compression", () => {
  test("is told who asked for it, before the model is asked", async () => {
    const events: PreCompressEvent[] = [];
    const model = handler(good);
    const preCompress = async (event: PreCompressEvent) => {
      await Promise.resolve();
      events.push(event);
      expect(model.asked).toHaveLength(events.length - 1);
    };
    await compress(large, { preCompress }, { taskId: "task-7", model });
    await compress(large, { preCompress }, { force: true, model });
    expect(events).toEqual([
      { taskId: "task-7", trigger: "auto", messages: large },
      { taskId: "", trigger: "manual", messages: large },
    ]);
    expect(model.asked).toHaveLength(2);
  });

  test("is not told where nothing is due", async () => {
    const preCompress = vi.fn();
    await compress(small, { preCompress });
    expect(preCompress).not.toHaveBeenCalled();
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("that %s does not keep the compression from going on", async (_, preCompress) => {
    expect((await compress(large, { preCompress })).info.compressionStatus).toBe("COMPRESSED");
  });

  test("that never ends is not waited for for ever", async () => {
    vi.useFakeTimers();
    const compression = compress(large, { preCompress: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await compression).info.compressionStatus).toBe("COMPRESSED");
  });
});
