import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { anthropicAdapter } from "../../adapters/anthropic/index.ts";
import { geminiAdapter } from "../../adapters/gemini/index.ts";
import { openaiChatAdapter } from "../../adapters/openai-chat/index.ts";
import { openaiResponsesAdapter } from "../../adapters/openai-responses/index.ts";
import type { WireAdapter, WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { createRecentBodies, rawRequestOf } from "./recent-bodies.ts";

interface WireCase {
  readonly adapter: WireAdapter;
  readonly path: string;
  readonly fields: object;
  /** The names of the fields that lead to the list. */
  readonly listPath: readonly string[];
  /** The items of one step: a call, and what it returned. */
  readonly step: (id: string, output: string) => readonly object[];
}

const said = (content: string) => ({ role: "user", content });

const CASES: readonly WireCase[] = [
  {
    adapter: anthropicAdapter,
    path: "/v1/messages",
    fields: { model: "claude-sonnet-4-5", max_tokens: 100, system: "Be brief." },
    listPath: ["messages"],
    step: (id, output) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { id } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    ],
  },
  {
    adapter: anthropicAdapter,
    path: "/v1/messages",
    fields: { model: "claude-sonnet-4-5", max_tokens: 9_000, thinking: { type: "enabled", budget_tokens: 4_000 } },
    listPath: ["messages"],
    step: (id, output) => [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: `Read ${id}.`, signature: `sig-${id}` },
          { type: "tool_use", id, name: "read", input: { id } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    ],
  },
  {
    adapter: openaiChatAdapter,
    path: "/v1/chat/completions",
    fields: { model: "gpt-4.1" },
    listPath: ["messages"],
    step: (id, output) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: output },
    ],
  },
  {
    adapter: openaiResponsesAdapter,
    path: "/v1/responses",
    fields: { model: "gpt-5" },
    listPath: ["input"],
    step: (id, output) => [
      { type: "function_call", call_id: id, name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  {
    adapter: geminiAdapter,
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    fields: {},
    listPath: ["contents"],
    step: (id, output) => [
      { role: "model", parts: [{ functionCall: { id, name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "read", response: { output } } }] },
    ],
  },
  {
    adapter: geminiAdapter,
    path: "/v1beta/models/gemini-2.5-pro:countTokens",
    fields: {},
    listPath: ["generateContentRequest", "contents"],
    step: (id, output) => [
      { role: "model", parts: [{ functionCall: { id, name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "read", response: { output } } }] },
    ],
  },
];

const STEPS = 24;

function bodyOf({ fields, listPath, step, adapter }: WireCase, steps: number): Buffer {
  const opening = adapter.name === "gemini" ? { role: "user", parts: [{ text: "Go – on." }] } : said("Go – on.");
  const items = Array.from({ length: steps }, (_, index) => step(`call-${index}`, `${index} é `.repeat(600))).flat();
  const request = listPath.reduceRight<unknown>((inner, name) => ({ ...fields, [name]: inner }), [opening, ...items]);
  return Buffer.from(`${JSON.stringify(request)}\n`);
}

/** The request as a gateway reads it, after the one before it. */
function readInGateway(wire: WireCase): WireRequest | undefined {
  const bodies = createRecentBodies();
  const common = { api: wire.adapter.name, path: wire.path, headers: {}, upstream: "http://upstream.test" };
  rawRequestOf(
    { ...common, body: bodyOf(wire, STEPS - 1) },
    { bodies, sessionId: "s", listPaths: wire.adapter.listPaths },
  );
  const raw = rawRequestOf(
    { ...common, body: bodyOf(wire, STEPS) },
    { bodies, sessionId: "s", listPaths: wire.adapter.listPaths },
  );
  return raw && wire.adapter.readRequest(raw);
}

describe.each(CASES)("$adapter.name $path", (wire) => {
  test("of a body whose conversation is mostly hidden, the text is never made", () => {
    const inParts = readInGateway(wire);
    if (inParts === undefined) throw new Error("The request was not read.");
    const seen: string[] = [];
    const { path, value, sparseBody } = inParts.raw;
    const raw = { path, value, ...(sparseBody && { sparseBody }), body: "" };
    Object.defineProperty(raw, "body", {
      get: () => {
        seen.push("body");
        return inParts.raw.body;
      },
    });
    const request = wire.adapter.readRequest(raw);
    if (request === undefined) throw new Error("The request was not read.");
    const last = request.messages.length - 1;
    const isThinking = JSON.stringify(wire.fields).includes("thinking");
    wire.adapter.writeRequest(
      request,
      [0, last - 1, last].map((index) => ({ type: "original", index })),
    );
    // Thinking may be lent by what is hidden.
    expect(seen).toHaveLength(isThinking ? 1 : 0);
  });

  test("whatever is hidden, what is written from parts of the body is what is written from all of it", () => {
    const whole = wire.adapter.readRequest({ path: wire.path, body: String(bodyOf(wire, STEPS)) });
    const inParts = readInGateway(wire);
    if (whole === undefined || inParts === undefined) throw new Error("The request was not read.");
    expect(inParts.messages).toEqual(whole.messages);
    const standIn = { role: "user", content: "[Earlier steps are hidden.]" } as const;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: STEPS }), fc.nat(STEPS), (hidden, more) => {
        const shown = Array.from({ length: STEPS }, (_, step) => step).filter(
          (step) => step >= hidden && step !== more,
        );
        const parts: readonly WirePart[] = [
          { type: "original", index: 0 },
          { type: "stand-in", message: standIn },
          ...shown.flatMap((step): readonly WirePart[] => [
            { type: "original", index: 1 + 2 * step },
            { type: "original", index: 2 + 2 * step },
          ]),
        ];
        expect(wire.adapter.writeRequest(inParts, parts)).toBe(wire.adapter.writeRequest(whole, parts));
      }),
      { ...PROPERTY_RUNS, numRuns: 50 },
    );
  });
});

test("what is no JSON is none of ours", () => {
  const request = { api: "anthropic", path: "/v1/messages", headers: {}, upstream: "http://upstream.test" } as const;
  expect(
    rawRequestOf(
      { ...request, body: Buffer.from("{") },
      { bodies: createRecentBodies(), sessionId: undefined, listPaths: [["messages"]] },
    ),
  ).toBe(undefined);
});
