import { describe, expect, test } from "vitest";
import {
  type Behaviour,
  FAILING,
  good,
  handler,
  hangs,
  replies,
  streams,
  unchecked,
} from "../../../test/support/handlers.ts";
import { user } from "../../../test/support/messages.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ModelChunk, ModelHandler } from "../../core/ports/model-handler.ts";
import { askModel } from "./ask-model.ts";
import type { ModelRequest } from "./stream-model.ts";

const REQUEST = { systemPrompt: "Be brief.", maxOutputTokens: 400, temperature: 0.3, timeoutMs: 300_000 };
const MESSAGES = [user("What now?")];

function ask(model: ModelHandler | Behaviour, fields: Partial<ModelRequest> = {}) {
  const asked = typeof model === "function" ? handler(model) : model;
  return askModel({ ...REQUEST, messages: MESSAGES, handler: asked, ...fields });
}

describe("a request", () => {
  test("is made once, with the prompt, the messages, the sampling and a signal", async () => {
    const model = handler(good);
    await ask(model);
    expect(model.asked).toEqual([
      {
        systemPrompt: "Be brief.",
        messages: MESSAGES,
        call: { maxOutputTokens: 400, temperature: 0.3, signal: expect.any(AbortSignal) },
      },
    ]);
    expect(model.asked[0]?.call?.signal.aborted).toBe(false);
  });
});

describe("a reply", () => {
  test("is the text of all chunks, without white space around it", async () => {
    const reply = await ask(streams({ type: "text", text: "\n one" }, { type: "text", text: " two " }));
    expect(reply).toMatchObject({ type: "reply", text: "one two" });
  });

  test("adds up what several chunks say was used and what it cost", async () => {
    const usage = { type: "usage", inputTokens: 100, outputTokens: 20, totalCost: 0.25 };
    expect(await ask(streams(usage, { type: "text", text: "x" }, usage))).toEqual({
      type: "reply",
      text: "x",
      outputTokens: 40,
      costUsd: 0.5,
    });
  });

  test.each([
    ["is absent", {}],
    ["is undefined", { totalCost: undefined }],
    ["is no number", { totalCost: Number.NaN }],
  ])("has the registry's price where the handler's cost %s", async (_, cost) => {
    const usage = { inputTokens: 1_000_000, outputTokens: 1_000, cacheReadTokens: 500, cacheWriteTokens: 100 };
    const model = handler(streams({ type: "text", text: "x" }, { type: "usage", ...usage, ...cost }), { id: "gpt-4o" });
    const price = priceOf("gpt-4o", usage);
    expect(price).toBeGreaterThan(1);
    expect(await ask(model)).toMatchObject({ costUsd: price });
  });

  test("costs nothing where nobody knows a price, or it was free", async () => {
    const used = { type: "usage", inputTokens: 1_000, outputTokens: 10 };
    expect(await ask(streams({ type: "text", text: "x" }, used))).toMatchObject({ costUsd: 0 });
    const free = handler(streams({ type: "text", text: "x" }, { ...used, totalCost: 0 }), { id: "gpt-4o" });
    expect(await ask(free)).toMatchObject({ costUsd: 0 });
  });

  test("does not count as its own length what was thought", async () => {
    const usage = { type: "usage", inputTokens: 1, outputTokens: 900 };
    const reply = await ask(streams({ type: "reasoning", text: "Hm." }, { type: "text", text: "x" }, usage));
    expect(reply).toMatchObject({ text: "x", outputTokens: 0 });
  });

  test("takes no harm from chunks and amounts that make no sense", async () => {
    const amounts = { inputTokens: Number.NaN, outputTokens: -5, cacheReadTokens: "many", totalCost: -1 };
    const chunks = [
      ...[null, undefined, 7, "text", [], {}, { type: "text" }, { type: "text", text: 5 }, { type: "tool_call" }],
      { type: "usage", ...amounts },
      { type: "usage", inputTokens: Number.POSITIVE_INFINITY, outputTokens: 3, totalCost: Number.POSITIVE_INFINITY },
      { type: "text", text: "still here" },
    ];
    expect(await ask(streams(...chunks))).toEqual({ type: "reply", text: "still here", outputTokens: 3, costUsd: 0 });
  });

  test("may be promised", async () => {
    const later: Behaviour = (asked) => unchecked(Promise.resolve(replies("in time")(asked)));
    expect(await ask(later)).toMatchObject({ type: "reply", text: "in time" });
  });
});

describe("trouble is an answer, never an exception", () => {
  const throwing =
    (fields: object): Behaviour =>
    () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")), ...fields }),
    });
  test.each<[string, Behaviour, RegExp]>([
    ["it throws at once", FAILING.throwsAtOnce, /^no key$/],
    ["it throws before the first chunk", FAILING.throws, /^overloaded$/],
    ["it dies mid-stream", FAILING.diesMidStream, /^socket hang up$/],
    ["it streams nothing", FAILING.repliesNothing, /no text/],
    ["it streams only blanks", FAILING.repliesBlank, /no text/],
    ["it only reasons", FAILING.onlyReasons, /no text/],
    ["it rejects with a plain object", () => unchecked(Promise.reject({ message: "quota" })), /^quota$/],
    ["it returns nothing", () => unchecked(undefined), /no stream/],
    ["it returns a list", () => unchecked([{ type: "text", text: "x" }]), /no stream/],
    ["its stream has no results", () => unchecked({ [Symbol.asyncIterator]: () => ({ next: () => 5 }) }), /./],
    [
      "its chunks break when they are read",
      streams(
        new Proxy(
          {},
          {
            has: () => {
              throw new Error("trap");
            },
          },
        ),
      ),
      /^trap$/,
    ],
    [
      "leaving it throws",
      throwing({
        return: () => {
          throw new Error("worse");
        },
      }),
      /^gone$/,
    ],
    ["leaving it fails later", throwing({ return: () => Promise.reject(new Error("worse")) }), /^gone$/],
    ["leaving it hangs", throwing({ return: () => new Promise(() => {}) }), /^gone$/],
  ])("when %s", async (_, behaviour, error) => {
    expect(await ask(behaviour)).toMatchObject({ type: "failed", error: expect.stringMatching(error) });
  });

  test("and the handler is told that nobody waits any more", async () => {
    const model = handler(FAILING.diesMidStream);
    await ask(model);
    expect(model.asked[0]?.call?.signal.aborted).toBe(true);
  });

  test("with what was spent until then", async () => {
    const dies: Behaviour = async function* () {
      yield { type: "usage", inputTokens: 10, outputTokens: 10, totalCost: 0.02 };
      throw new Error("cut");
    };
    expect(await ask(dies)).toEqual({ type: "failed", error: "cut", costUsd: 0.02 });
    expect(await ask(FAILING.onlyReasons)).toMatchObject({ type: "failed", costUsd: 0.01 });
  });

  test("also for a handler that cannot say which model it is", async () => {
    const lost: ModelHandler = {
      ...handler(good),
      getModel: () => {
        throw new Error("not configured");
      },
    };
    expect(await ask(lost)).toMatchObject({ type: "reply", costUsd: 0.01 });
  });
});

describe("time", () => {
  test.each<[string, Behaviour]>([
    ["a stream that hangs", hangs],
    ["a stream that is never opened", () => unchecked(new Promise(() => {}))],
    [
      "a stream that never ends",
      async function* () {
        for (;;) {
          await new Promise((next) => setTimeout(next, 1));
          yield { type: "text", text: "." };
        }
      },
    ],
  ])("is limited for %s", async (_, behaviour) => {
    const model = handler(behaviour);
    expect(await ask(model, { timeoutMs: 20 })).toMatchObject({
      type: "failed",
      error: "The model took longer than 20 ms to reply.",
    });
    expect(model.asked[0]?.call?.signal.aborted).toBe(true);
  });

  test("may be unlimited", async () => {
    const slow: Behaviour = async function* (asked) {
      await new Promise((next) => setTimeout(next, 20));
      yield* replies("at last")(asked);
    };
    expect(await ask(slow, { timeoutMs: Number.POSITIVE_INFINITY })).toMatchObject({ text: "at last" });
  });

  test("leaves no timer behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    await ask(good);
    await ask(FAILING.throws);
    expect(timers()).toBe(before);
  });
});

describe("memory is limited for a stream that never ends", () => {
  const endless = (chunk: ModelChunk): Behaviour =>
    async function* () {
      for (;;) yield chunk;
    };
  test.each<[string, ModelChunk]>([
    ["long texts", { type: "text", text: "word ".repeat(10_000) }],
    ["nothing but empty texts", { type: "text", text: "" }],
    ["reasoning", { type: "reasoning", text: "Hm." }],
  ])("of %s", async (_, chunk) => {
    let isLeft = false;
    const watched: Behaviour = async function* (asked) {
      try {
        yield* endless(chunk)(asked);
      } finally {
        isLeft = true;
      }
    };
    expect(await ask(watched)).toMatchObject({ type: "failed", error: "The reply does not end." });
    await new Promise((next) => setTimeout(next, 1));
    expect(isLeft).toBe(true);
  });
});

describe("an abort", () => {
  test("ends a request that hangs, and tells the handler", async () => {
    const controller = new AbortController();
    const model = handler(hangs);
    const reply = ask(model, { signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    expect(await reply).toEqual({ type: "failed", error: "The request was aborted.", costUsd: 0 });
    expect(model.asked[0]?.call?.signal.aborted).toBe(true);
  });

  test("that came before asks nobody", async () => {
    const model = handler(good);
    expect(await ask(model, { signal: AbortSignal.abort() })).toMatchObject({ type: "failed", costUsd: 0 });
    expect(model.asked).toEqual([]);
  });

  test("that comes after the reply changes nothing", async () => {
    const controller = new AbortController();
    const model = handler(good);
    expect(await ask(model, { signal: controller.signal })).toMatchObject({ type: "reply" });
    controller.abort();
    expect(model.asked[0]?.call?.signal.aborted).toBe(false);
  });
});
