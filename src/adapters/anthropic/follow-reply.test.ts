import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { anthropicAdapter } from "./index.ts";

const START = {
  type: "message_start",
  message: {
    id: "msg_1",
    role: "assistant",
    content: [],
    usage: { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 4_000, output_tokens: 1 },
  },
};
const DELTA = {
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: 'a "usage" of é 😀\ndata: {' },
};
const END = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 77 } };
const USAGE = { inputTokens: 12, cacheWriteTokens: 300, cacheReadTokens: 4_000, outputTokens: 77 };

function events(...list: readonly { readonly type: string }[]) {
  return list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function usageOf(...pieces: readonly string[]) {
  const follower = anthropicAdapter.followReply();
  for (const piece of pieces) follower.push(piece);
  return follower.usage();
}

describe("following a reply", () => {
  test("a stream tells the prompt at its start and the reply at its end", () => {
    expect(usageOf(events(START, DELTA, END, { type: "message_stop" }))).toEqual(USAGE);
    expect(usageOf(events(START, DELTA))).toEqual({ ...USAGE, outputTokens: 1 });
  });

  test("it does not matter where a stream is cut into pieces", () => {
    const stream = events(START, { type: "ping" }, DELTA, END);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), fc.boolean(), (cuts, isCarriageReturned) => {
        const text = isCarriageReturned ? stream.replaceAll("\n", "\r\n") : stream;
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        expect(usageOf(...places.map((place, index) => text.slice(place, places[index + 1])))).toEqual(USAGE);
      }),
      propertyRuns(200),
    );
  });

  test("a later report adds to the first one and never takes from it", () => {
    const zeros = { ...END, usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 77 } };
    expect(usageOf(events(START, zeros))).toEqual(USAGE);
    const late = { type: "message_delta", usage: { input_tokens: 50, output_tokens: 9 } };
    expect(
      usageOf(events({ ...START, message: { usage: { input_tokens: 0, output_tokens: 0 } } } as typeof START, late)),
    ).toEqual({
      inputTokens: 50,
      outputTokens: 9,
    });
  });

  test("a whole reply tells it once it is complete", () => {
    const body = JSON.stringify({ ...START.message, usage: { ...START.message.usage, output_tokens: 77 } }, null, 1);
    expect(usageOf(body)).toEqual(USAGE);
    expect(usageOf("\n ", body.slice(0, 30), body.slice(30))).toEqual(USAGE);
    expect(usageOf(body.slice(0, -2))).toBeUndefined();
  });

  test.each([
    ["nothing", ""],
    ["an error", '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'],
    ["an error in a stream", events({ type: "error" })],
    ["a page", "<html>502</html>\n"],
    ["a count of tokens", '{"input_tokens":5}'],
    ["numbers that are none", '{"usage":{"input_tokens":"many","output_tokens":-1}}'],
    ["broken events", 'data: {"type":"message_start","usage"\n\ndata: 3 "usage"\n'],
  ])("%s reports nothing", (_, text) => {
    expect(usageOf(text)).toBeUndefined();
  });

  test("a long line in small pieces costs no more than its length", () => {
    const follower = anthropicAdapter.followReply();
    follower.push("data: ");
    for (let count = 0; count < 200_000; count++) follower.push("0123456789");
    follower.push(`\n\n${events(START)}`);
    expect(follower.usage()).toMatchObject({ inputTokens: 12 });
  });
});

describe("how far a reply has come", () => {
  const ERROR = {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
  };
  function follow(...pieces: readonly string[]) {
    const follower = anthropicAdapter.followReply();
    for (const piece of pieces) follower.push(piece);
    return follower;
  }

  test("signs of life and the start of a message say nothing, its first block does", () => {
    expect(follow(": hello\n\n", events({ type: "ping" })).stage()).toBe("opening");
    expect(follow('data: {"type":"ping"}\n\n').stage()).toBe("opening");
    expect(follow(events({ type: "ping" }, START, { type: "ping" })).stage()).toBe("opening");
    expect(follow(events(START, { type: "ping" })).failure()).toBeUndefined();
    for (const type of ["thinking", "redacted_thinking", "text", "tool_use"]) {
      const block = { type: "content_block_start", index: 0, content_block: { type } };
      expect(follow(events(START, block)).stage()).toBe("speaking");
    }
    expect(follow(events(START, END)).stage()).toBe("speaking");
    expect(follow(events(START, { type: "something_new" })).stage()).toBe("speaking");
    expect(follow('{"type":"error"').stage()).toBe("speaking");
  });

  test("a server that gives up says why", () => {
    expect(follow(events(START, { type: "ping" }, ERROR)).stage()).toBe("failed");
    const follower = follow(events({ type: "ping" }, ERROR));
    expect(follower.stage()).toBe("failed");
    expect(follower.failure()).toEqual({
      message: ERROR.error.message,
      code: "invalid_request_error",
      body: ERROR.error,
    });
    expect(readTooLong(follower.failure() ?? { message: "" })).toEqual({
      isTooLong: true,
      by: "tokens",
      promptTokens: 210_000,
      limitTokens: 200_000,
    });
  });

  test("a failure in the middle is told too, and what only speaks of errors is none", () => {
    expect(follow(events(START, DELTA)).stage()).toBe("speaking");
    const told = { type: "content_block_delta", delta: { type: "text_delta", text: '"error"' }, error: null };
    expect(follow(events(START, told)).stage()).toBe("speaking");
    expect(follow(events(START, DELTA, ERROR)).failure()?.code).toBe("invalid_request_error");
    expect(follow("event: error\ndata: overloaded\n\n").stage()).toBe("failed");
  });
});

describe("replies as the official client gets them", () => {
  let server: ModelServer | undefined;
  afterEach(() => server?.close());

  test.each([true, false])("streamed %s, report what the client reads", async (stream) => {
    server = await startModelServer();
    server.script({
      type: "text",
      text: "Hello.",
      usage: { inputTokens: 5, cacheReadTokens: 70, cacheWriteTokens: 9, outputTokens: 3 },
    });
    const client = new Anthropic({ apiKey: "k", baseURL: server.url });
    const response = await client.messages
      .create({ model: "claude-haiku-4-5", max_tokens: 9, stream, messages: [{ role: "user", content: "hi" }] })
      .asResponse();
    expect(usageOf(await response.text())).toEqual({
      inputTokens: 5,
      cacheReadTokens: 70,
      cacheWriteTokens: 9,
      outputTokens: 3,
    });
  });
});
