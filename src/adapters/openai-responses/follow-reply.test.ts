import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openaiResponsesAdapter } from "./index.ts";

const USAGE = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1_050,
};
const REPORTED = { inputTokens: 200, cacheReadTokens: 700, cacheWriteTokens: 100, outputTokens: 30 };
const reply = (usage: unknown, text = "ok") => ({
  id: "resp_1",
  object: "response",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
  usage,
});
const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const stream = (end: string, usage: unknown = USAGE) =>
  event("response.created", { response: reply(null) }) +
  event("response.output_text.delta", { delta: 'She said "usage":{"input_tokens":5} 家族 👨‍👩‍👧' }) +
  event(end, { response: reply(usage, '"usage":{"input_tokens":7}') });

function usageOf(...chunks: readonly string[]) {
  const follower = openaiResponsesAdapter.followReply();
  for (const chunk of chunks) follower.push(chunk);
  return follower.usage();
}

describe("a reply reports what was used", () => {
  test("where it comes whole", () => {
    const body = JSON.stringify(reply(USAGE), undefined, 2);
    expect(usageOf(body)).toEqual(REPORTED);
    expect(usageOf("\n", body.slice(0, 40), body.slice(40))).toEqual(REPORTED);
  });

  test.each(["response.completed", "response.incomplete", "response.failed"])("at the end of a stream: %s", (end) => {
    expect(usageOf(stream(end))).toEqual(REPORTED);
    expect(usageOf(stream(end).replaceAll("\n", "\r\n"))).toEqual(REPORTED);
  });

  test("wherever the stream is cut", () => {
    const whole = stream("response.completed");
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        expect(usageOf(...ends.slice(1).map((end, index) => whole.slice(ends[index], end)))).toEqual(REPORTED);
      }),
      { numRuns: 200 },
    );
    expect(usageOf(...whole)).toEqual(REPORTED);
  });

  test("without details, all of the prompt as input", () => {
    expect(usageOf(JSON.stringify(reply({ input_tokens: 9, output_tokens: 2 })))).toEqual({
      inputTokens: 9,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
    });
  });
});

test.each([
  ["nothing came", ""],
  ["the stream was cut before its end", stream("response.completed").slice(0, -40)],
  ["the report is null", stream("response.failed", null)],
  ["it is an error", '{"error":{"message":"usage","code":"context_length_exceeded"}}'],
  ["it is no JSON", "<html>Bad Gateway</html>\n\n"],
  ["it is broken JSON", '{"usage":{'],
])("a reply reports nothing where %s", (_, body) => {
  expect(usageOf(body)).toBeUndefined();
});
