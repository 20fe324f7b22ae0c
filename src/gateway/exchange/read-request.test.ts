import { describe, expect, test } from "vitest";
import { anthropicAdapter } from "../../adapters/anthropic/anthropic-adapter.ts";
import { geminiAdapter } from "../../adapters/gemini/gemini-adapter.ts";
import { openaiChatAdapter } from "../../adapters/openai-chat/openai-chat-adapter.ts";
import { openaiResponsesAdapter } from "../../adapters/openai-responses/openai-responses-adapter.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { createRecentBodies } from "../bodies/recent-bodies.ts";
import { type IncomingRequest, readIncoming } from "../match/incoming-request.ts";
import { readAgentRequest } from "./read-request.ts";

interface WireCase {
  readonly adapter: WireAdapter;
  readonly path: string;
  readonly body: (items: readonly unknown[]) => unknown;
  readonly step: (id: string, output: string) => readonly unknown[];
}

const said = { role: "user", content: "Go on." };

const CASES: readonly WireCase[] = [
  {
    adapter: anthropicAdapter,
    path: "/v1/messages",
    body: (items) => ({ model: "claude-sonnet-4-5", max_tokens: 9, messages: [said, ...items] }),
    step: (id, output) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { id } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
      { role: "system", content: `Note of ${id}.` },
    ],
  },
  {
    adapter: openaiChatAdapter,
    path: "/v1/chat/completions",
    body: (items) => ({ model: "gpt-4.1", messages: [{ role: "system", content: "Be brief." }, said, ...items] }),
    step: (id, output) => {
      const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: id, content: output },
      ];
    },
  },
  {
    adapter: openaiResponsesAdapter,
    path: "/v1/responses",
    body: (items) => ({ model: "gpt-5", input: [said, ...items] }),
    step: (id, output) => [
      { type: "reasoning", id: `r-${id}`, summary: [] },
      { type: "function_call", call_id: id, name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  {
    adapter: geminiAdapter,
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    body: (items) => ({ contents: [{ role: "user", parts: [{ text: "Go on." }] }, ...items] }),
    step: (id, output) => [
      { role: "model", parts: [{ functionCall: { id, name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "read", response: { output } } }] },
    ],
  },
];

const STEPS = 120;

function bodyOf({ body, step }: WireCase, steps: number): Buffer {
  const items = Array.from({ length: steps }, (_, index) => step(`call-${index}-of-many`, `${index} é `.repeat(1_000)));
  return Buffer.from(JSON.stringify(body(items.flat())));
}

function pausing(): Pacer & { readonly pauses: () => number } {
  let pauses = 0;
  return {
    pauses: () => pauses,
    pause: () => {
      pauses += 1;
      return Promise.resolve();
    },
  };
}

describe.each(CASES)("a large body at $path", (wire) => {
  const { adapter, path } = wire;
  const naming = { headers: [], bodyAgent: undefined };
  const context = { api: adapter.name, path, headers: {}, upstream: "http://upstream.test" };

  function readWhole(body: Buffer): IncomingRequest {
    const request = adapter.readRequest({ path, body: String(body) });
    if (request === undefined) throw new Error("The request was not read.");
    return readIncoming(request, { headers: {}, body, naming });
  }

  test("is read in slices as it is read in one go, and so is the next one of its conversation", async () => {
    const bodies = createRecentBodies();
    for (const steps of [STEPS, STEPS + 1, STEPS + 60]) {
      const body = bodyOf(wire, steps);
      const pacer = pausing();
      const read = await readAgentRequest({ ...context, body }, { bodies, adapter, sessionId: "s", naming, pacer });
      const whole = readWhole(body);
      expect(read?.messages).toEqual(whole.messages);
      expect(read?.fingerprints).toEqual(whole.fingerprints);
      expect(read?.request.callIds).toEqual(whole.request.callIds);
      expect(read && String(read.request.raw.body)).toBe(String(body));
    }
  });

  test("is not read by the adapter in one go: others have their turn between its steps", async () => {
    const body = bodyOf(wire, STEPS);
    const lengths: number[] = [];
    const watched: WireAdapter = {
      ...adapter,
      readRequest: (raw) => {
        const request = adapter.readRequest(raw);
        lengths.push(request?.messages.length ?? 0);
        return request;
      },
    };
    const pacer = pausing();
    const options = { bodies: createRecentBodies(), adapter: watched, sessionId: "s", naming, pacer };
    await readAgentRequest({ ...context, body }, options);
    expect(lengths.length).toBeGreaterThan(body.length / 200_000);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
    expect(pacer.pauses()).toBeGreaterThan(lengths.length);
  });
});

test("a small body is read at once, without a promise", () => {
  const wire = CASES[0];
  if (wire === undefined) throw new Error("There is one.");
  const request = { api: wire.adapter.name, path: wire.path, headers: {}, upstream: "http://upstream.test" };
  const options = { bodies: createRecentBodies(), adapter: wire.adapter, sessionId: undefined };
  const naming = { headers: [], bodyAgent: undefined };
  const read = readAgentRequest({ ...request, body: bodyOf(wire, 2) }, { ...options, naming, pacer: pausing() });
  expect(read).not.toBeInstanceOf(Promise);
});
