import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import { openaiResponsesAdapter } from "./index.ts";

const USAGE = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1_050,
};
const REPORTED = {
  inputTokens: 200,
  cacheReadTokens: 700,
  cacheWriteTokens: 100,
  outputTokens: 30,
  reasoningTokens: 20,
};
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
      propertyRuns(200),
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

describe("how far a reply has come", () => {
  const ERROR = {
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  };
  const FAILED = event("response.failed", { response: { ...reply(null), status: "failed", error: ERROR } });
  const BEGUN = ["created", "queued", "in_progress"].map((name) =>
    event(`response.${name}`, { response: reply(null) }),
  );
  const withoutNames = (text: string) => text.replaceAll(/^event:.*\n/gm, "");

  function follow(...pieces: readonly string[]) {
    const follower = openaiResponsesAdapter.followReply();
    for (const piece of pieces) follower.push(piece);
    return follower;
  }

  test("that it began says nothing, the first item does", () => {
    expect(follow().stage()).toBe("opening");
    const begun = [...BEGUN, ": ping\n\n", event("keepalive", {})];
    expect(follow(...begun).stage()).toBe("opening");
    expect(follow(...begun.map(withoutNames)).stage()).toBe("opening");
    expect(follow(...begun, event("response.output_item.added", { item: {} })).stage()).toBe("speaking");
    expect(follow(...begun, event("response.reasoning_summary_part.added", {})).stage()).toBe("speaking");
    expect(follow(...begun, event("response.incomplete", { response: reply(null) })).stage()).toBe("speaking");
    expect(follow(JSON.stringify({ error: ERROR })).stage()).toBe("speaking");
  });

  test("a server that gives up says why, and that it was too long is understood", () => {
    const whole = [...BEGUN, FAILED];
    for (const pieces of [whole, whole.map(withoutNames), [...whole.join("")]]) {
      const follower = follow(...pieces);
      expect(follower.stage()).toBe("failed");
      expect(follower.failure()).toEqual({ ...ERROR, body: ERROR });
      expect(readTooLong(follower.failure() ?? { message: "" })).toEqual({ isTooLong: true, by: "tokens" });
    }
  });

  test.each<[string, object, object]>([
    ["flat", { ...ERROR, param: null }, { type: "error", ...ERROR, param: null }],
    ["in a field", { error: ERROR }, ERROR],
  ])("an error is an event of its own, %s", (_, fields, body) => {
    expect(follow(event("error", fields)).failure()).toEqual({ ...ERROR, body });
  });

  test("a failure in the middle is told too; what the model says of failures is none", () => {
    const said = event("response.output_text.delta", { delta: '{"type":"error"} "response.failed"' });
    expect(follow(...BEGUN, said).failure()).toBeUndefined();
    expect(follow(withoutNames(said)).stage()).toBe("speaking");
    expect(follow(...BEGUN, said, FAILED).failure()?.code).toBe("context_length_exceeded");
    expect(follow(...BEGUN, event("response.incomplete", { response: reply(null) })).stage()).toBe("speaking");
  });
});
