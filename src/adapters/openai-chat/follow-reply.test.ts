import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import { type ScriptedReply, startModelServer } from "../../testing/index.ts";
import { openaiChatAdapter } from "./index.ts";

function follow(pieces: readonly string[]) {
  const follower = openaiChatAdapter.followReply();
  for (const piece of pieces) follower.push(piece);
  return follower.usage();
}

const USAGE = { inputTokens: 100, cacheReadTokens: 900, cacheWriteTokens: 50, outputTokens: 70 };
const CALLS: ScriptedReply = {
  type: "tool-calls",
  calls: [{ id: "c1", name: "read", input: { path: "é.ts" } }],
  text: 'It says "usage": {"prompt_tokens": 1} — é.',
  reasoning: "Let me see.",
  usage: USAGE,
};

async function replyOf(wire: "openai" | "deepseek", isStreaming: boolean): Promise<string> {
  const server = await startModelServer();
  try {
    server.script(CALLS);
    const request = {
      model: wire === "openai" ? "gpt-5-mini" : "deepseek-reasoner",
      messages: [{ role: "user", content: "Go" }],
      ...(isStreaming && { stream: true, stream_options: { include_usage: true } }),
    };
    const headers = { "content-type": "application/json", authorization: "Bearer key" };
    const url = `${server.baseUrls[wire]}/chat/completions`;
    return await (await fetch(url, { method: "POST", headers, body: JSON.stringify(request) })).text();
  } finally {
    await server.close();
  }
}

describe.each([true, false])("a reply, streamed: %s", (isStreaming) => {
  test("tells its usage, whatever the pieces it comes in", async () => {
    const reply = await replyOf("openai", isStreaming);
    const whole = follow([reply]);
    expect(whole).toMatchObject({ inputTokens: 100, cacheReadTokens: 900, cacheWriteTokens: 50 });
    const cuts = fc.array(fc.nat({ max: reply.length }), { maxLength: 40 });
    const sameForAll = fc.property(cuts, (places) => {
      const ends = [...new Set([...places, reply.length])].sort((a, b) => a - b);
      expect(follow(ends.map((end, index) => reply.slice(ends[index - 1] ?? 0, end)))).toEqual(whole);
    });
    fc.assert(sameForAll, propertyRuns(100));
    expect(follow([...reply])).toEqual(whole);
  });

  test("counts reasoning as output where the client must send it back", async () => {
    expect(follow([await replyOf("deepseek", isStreaming)])).toEqual({
      inputTokens: 150,
      cacheReadTokens: 900,
      cacheWriteTokens: 0,
      outputTokens: 70,
    });
  });
});

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

test("hidden reasoning is no part of what goes back", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 30, completion_tokens_details: { reasoning_tokens: 20 } };
  const report = { inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 20 };
  expect(follow([JSON.stringify({ choices: [{ message: { content: "a" } }], usage })])).toEqual(report);
  expect(follow([event({ choices: [] }), event({ choices: [], usage }), "data: [DONE]\n\n"])).toEqual(report);
});

test("the last of many reports counts, also after a line without an end, and with the line ends of any system", () => {
  const usage = (tokens: number) => ({ choices: [], usage: { prompt_tokens: 5, completion_tokens: tokens } });
  const lines = [": keep-alive", `data:${JSON.stringify(usage(1))}`, "", `data: ${JSON.stringify(usage(2))}`];
  for (const end of ["\n", "\r\n", "\r"]) expect(follow([lines.join(end)])?.outputTokens).toBe(2);
});

test.each<[string, object]>([
  ["in a choice", { choices: [{ usage: { prompt_tokens: 5, cached_tokens: 3 } }] }],
  [
    "in a field of the server's own",
    { choices: [], x_groq: { usage: { prompt_tokens: 5, prompt_cache_hit_tokens: 3 } } },
  ],
])("a report %s is found", (_, data) => {
  expect(follow([event(data)])).toMatchObject({ inputTokens: 2, cacheReadTokens: 3 });
});

test.each<[string, readonly string[]]>([
  ["nothing", []],
  ["an error", [JSON.stringify({ error: { message: "no" } })]],
  ["a stream that was not asked to report", [event({ choices: [{ delta: { content: "a" } }] }), "data: [DONE]\n\n"]],
  ["half of a document", ['{"choices":[],"usage":{"prompt_tokens":5']],
  ["bytes of another protocol", ["<html>usage</html>"]],
  ["an empty report", [event({ usage: null }), event({ usage: {} })]],
])("%s reports nothing", (_, pieces) => {
  expect(follow(pieces)).toBeUndefined();
});

describe("how far a reply has come", () => {
  const ERROR = {
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  };
  function followed(...pieces: readonly string[]) {
    const follower = openaiChatAdapter.followReply();
    for (const piece of pieces) follower.push(piece);
    return follower;
  }

  const piece = (delta: object, more: object = {}) => event({ choices: [{ index: 0, delta, ...more }] });
  const BEGUN = piece({ role: "assistant", content: "", refusal: null, tool_calls: [] }, { finish_reason: null });

  test.each<[string, readonly string[]]>([
    ["nothing", []],
    ["comments", [": PROCESSING\n\n", ": PROCESSING\n\n"]],
    ["who will speak", [": PROCESSING\n\n", BEGUN, ": PROCESSING\n\n"]],
    ["what the filter found in the prompt", [event({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] })]],
  ])("%s says nothing", (_, pieces) => {
    expect(followed(...pieces).stage()).toBe("opening");
    expect(followed(...pieces, event({ error: ERROR })).stage()).toBe("failed");
    expect(followed(...pieces, piece({ content: "A" })).stage()).toBe("speaking");
  });

  test.each<[string, string]>([
    ["a text", piece({ role: "assistant", content: "A" })],
    ["a thought", piece({ role: "assistant", content: "", reasoning_content: "Hm" })],
    ["a call", piece({ tool_calls: [{ index: 0, function: { name: "read", arguments: "" } }] })],
    ["a refusal", piece({ refusal: "No" })],
    ["a field that we do not know", piece({ audio: { id: "a" } })],
    ["an end", piece({}, { finish_reason: "stop" })],
    ["one choice of two", event({ choices: [{ delta: {} }, { delta: { content: "A" } }] })],
    ["a piece of another kind", event({ text: "A" })],
    ["what is no JSON", "data: [DONE]\n\n"],
    ["a document", JSON.stringify({ error: ERROR })],
  ])("%s is content", (_, text) => {
    expect(followed(BEGUN).stage()).toBe("opening");
    expect(followed(text).stage()).toBe("speaking");
  });

  test("a server that gives up says why", () => {
    const follower = followed(event({ error: ERROR }));
    expect(follower.stage()).toBe("failed");
    expect(follower.failure()).toEqual({ message: ERROR.message, code: "context_length_exceeded", body: ERROR });
    expect(readTooLong(follower.failure() ?? { message: "" })).toMatchObject({ isTooLong: true, limitTokens: 8_192 });
  });

  test("a failure in the middle is told too, with the number that some servers give", () => {
    const error = { code: 502, message: "Provider disconnected" };
    const follower = followed(
      event({ choices: [{ delta: { content: "a" } }], error: null }),
      event({ choices: [], error }),
    );
    expect([follower.stage(), follower.failure()]).toEqual([
      "failed",
      { status: 502, message: error.message, body: error },
    ]);
  });

  test("what the model says of errors is no failure", () => {
    const said = event({ choices: [{ delta: { content: '{"error":{"message":"no"}}' } }], error: null });
    expect(followed(said).failure()).toBeUndefined();
  });
});
