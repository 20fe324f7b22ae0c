import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../index.ts";

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});

afterEach(() => server.close());

const refusalOf = (promise: Promise<unknown>) => promise.then(() => "", String);

test("Anthropic's diagnostics name what changed since the message that they name", async () => {
  const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
  const ask = async (fields: object) => {
    const base = { model: "claude-haiku-4-5", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] };
    const request = { ...base, ...fields };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    expect(streamed.diagnostics).toEqual(whole.diagnostics);
    return whole;
  };
  const first = await ask({ diagnostics: { previous_message_id: null } });
  expect(first.diagnostics).toBeNull();
  const compared = { diagnostics: { previous_message_id: first.id } };
  expect((await ask(compared)).diagnostics).toBeNull();
  const changed = { cache_miss_reason: { type: "system_changed", cache_missed_input_tokens: expect.any(Number) } };
  expect((await ask({ ...compared, system: "Be brief." })).diagnostics).toEqual(changed);
  const edited = { ...compared, messages: [{ role: "user", content: "Hello" }] };
  expect((await ask(edited)).diagnostics?.cache_miss_reason?.type).toBe("messages_changed");
  const unknown = { diagnostics: { previous_message_id: "msg_unknown" } };
  expect((await ask(unknown)).diagnostics?.cache_miss_reason?.type).toBe("previous_message_not_found");
  expect((await ask({})).diagnostics).toBeUndefined();
  expect(await refusalOf(ask({ diagnostics: { previous_message_id: "resp_1" } }))).toContain("diagnostics");
});

test("OpenAI's diagnostics name what changed since the response that they name", async () => {
  const client = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
  const ask = (fields: object) => client.responses.create({ model: "gpt-5.6-sol", input: "Hi", ...fields });
  const first = await ask({});
  const compared = { prompt_cache_options: { comparison_response_id: first.id } };
  expect((await ask(compared)).prompt_cache_diagnostics).toEqual({ type: "cache_hit" });
  expect((await ask({ ...compared, input: "Hello" })).prompt_cache_diagnostics).toEqual({
    type: "cache_miss",
    reason: "input_changed",
    cache_missed_tokens: expect.any(Number),
  });
  const unknown = { prompt_cache_options: { comparison_response_id: "resp_unknown" } };
  expect((await ask(unknown)).prompt_cache_diagnostics).toEqual({ type: "comparison_response_not_found" });
  expect(await refusalOf(ask({ ...compared, model: "gpt-5.4" }))).toContain("prompt_cache_options");
});
