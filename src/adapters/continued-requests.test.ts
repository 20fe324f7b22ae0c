import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../test/support/property-runs.ts";
import { fieldAt } from "../core/json/read-json.ts";
import type { WirePart, WireRequest } from "../core/ports/wire-adapter.ts";
import { anthropicAdapter } from "./anthropic/index.ts";
import { geminiAdapter } from "./gemini/index.ts";
import { openaiChatAdapter } from "./openai-chat/index.ts";
import { openaiResponsesAdapter } from "./openai-responses/index.ts";

const IDS = ["a", "b", "c"];
const someId = fc.constantFrom(...IDS);
const odd = fc.constantFrom<unknown>(null, 7, "words", [], {}, { role: "critic", content: "Hm." });

const anthropicItem = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("user", "assistant", "system").map((role) => ({ role, content: "Words." })) },
  someId.map((id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { id } }] })),
  someId.map((id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Text." }] })),
  odd,
);

const chatCall = (id: string) => ({ id, type: "function", function: { name: "read", arguments: `{"path":"${id}"}` } });
const chatItem = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("user", "assistant", "system", "critic").map((role) => ({ role, content: "Words." })),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(someId, { minLength: 1, maxLength: 3 })
      .map((ids) => ({ role: "assistant", content: null, tool_calls: ids.map(chatCall) })),
  },
  { weight: 3, arbitrary: someId.map((id) => ({ role: "tool", tool_call_id: id, content: `Text of ${id}.` })) },
);

const responsesItem = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("user", "assistant", "developer", "critic").map((role) => ({ role, content: "Words." })),
  },
  {
    weight: 3,
    arbitrary: someId.map((call_id) => ({ type: "function_call", call_id, name: "read", arguments: "{}" })),
  },
  { weight: 3, arbitrary: someId.map((call_id) => ({ type: "function_call_output", call_id, output: "Text." })) },
  someId.map((call_id) => ({ type: "shell_call", call_id, action: { commands: ["ls"] } })),
  someId.map((call_id) => ({ type: "shell_call_output", call_id, output: [{ stdout: "Text." }] })),
  someId.map((call_id) => ({ type: "tool_search_output", call_id, tools: [] })),
  fc.constant({ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }),
  fc.constant({ type: "additional_tools", tools: [{ type: "function", name: "find" }] }),
  fc.constant({ type: "compaction", encrypted_content: "sealed" }),
  fc.constant({ type: "mcp_approval_response", approve: true }),
  odd,
);

const geminiIds = fc.record({ id: fc.option(someId, { nil: undefined }), name: fc.constantFrom("read", "find") });
const geminiItem = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom("user", "model", "critic").map((role) => ({ role, parts: [{ text: "Words." }] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(geminiIds, { minLength: 1, maxLength: 3 })
      .map((calls) => ({ role: "model", parts: calls.map((functionCall) => ({ functionCall })) })),
  },
  {
    weight: 3,
    arbitrary: fc.array(geminiIds, { minLength: 1, maxLength: 3 }).map((ids) => ({
      role: "user",
      parts: ids.map((each) => ({ functionResponse: { ...each, response: { output: "Text." } } })),
    })),
  },
);

const WIRES = [
  { adapter: anthropicAdapter, path: "/v1/messages", list: "messages", item: anthropicItem },
  { adapter: openaiChatAdapter, path: "/v1/chat/completions", list: "messages", item: chatItem },
  { adapter: openaiResponsesAdapter, path: "/v1/responses", list: "input", item: responsesItem },
  { adapter: geminiAdapter, path: "/v1beta/models/gemini-2.5-pro:generateContent", list: "contents", item: geminiItem },
];

const RUNS = Math.ceil(PROPERTY_RUNS.numRuns / 4);

type Wire = (typeof WIRES)[number];

/** As a gateway does: the value is known, and shares objects with those of earlier requests. */
function read({ adapter, path, list }: Wire, items: readonly unknown[]): WireRequest | undefined {
  return adapter.readRequest({
    path,
    value: { model: "m", [list]: items },
    get body() {
      return bodyOf(list, items);
    },
  });
}

function readAlone({ adapter, path, list }: Wire, items: readonly unknown[]): WireRequest | undefined {
  return adapter.readRequest({ path, body: bodyOf(list, items) });
}

function bodyOf(list: string, items: readonly unknown[]): string {
  return JSON.stringify({ model: "m", [list]: items });
}

function everythingIn({ adapter }: Wire, request: WireRequest | undefined): unknown {
  if (request === undefined) return undefined;
  const { raw: _, canonical, items, ...fields } = request;
  const indexes = request.messages.map((_, index) => index);
  const parts = indexes.slice(1).map((index): WirePart => ({ type: "original", index }));
  const summary: WirePart = { type: "stand-in", message: { role: "user", content: "A summary." } };
  return {
    ...fields,
    canonical: indexes.map(canonical),
    items: indexes.map(items),
    written: adapter.writeRequest(request, [summary, ...parts]),
  };
}

/** As parsed: no two items are the same object. */
const parsed = (item: fc.Arbitrary<unknown>) => item.map((value): unknown => JSON.parse(JSON.stringify(value)));

/** A conversation that goes on: so many items of it are kept, the others are new. */
const continuation = (item: fc.Arbitrary<unknown>) =>
  fc.record({ dropped: fc.oneof(fc.constant(0), fc.nat({ max: 6 })), added: fc.array(parsed(item), { maxLength: 5 }) });

describe.each(WIRES)("a request that continues a conversation ($adapter.name)", (wire) => {
  test("is read as it would be alone", () => {
    let known = 0;
    fc.assert(
      fc.property(
        fc.array(parsed(wire.item), { minLength: 1, maxLength: 12 }),
        fc.array(continuation(wire.item), { minLength: 1, maxLength: 6 }),
        (opening, continuations) => {
          let items: readonly unknown[] = opening;
          read(wire, items);
          for (const { dropped, added } of continuations) {
            items = [...items.slice(0, Math.max(1, items.length - dropped)), ...added];
            const request = read(wire, items);
            if (request !== undefined) known += 1;
            expect(everythingIn(wire, request)).toEqual(everythingIn(wire, readAlone(wire, items)));
          }
        },
      ),
      { ...PROPERTY_RUNS, numRuns: RUNS },
    );
    // Else nothing was compared.
    expect(known).toBeGreaterThan(RUNS / 4);
  });

  test("is read without a look at what was read before", () => {
    const looked = new Set<number>();
    const steps = Array.from({ length: 300 }, (_, step) => stepOf(wire, step)).flat();
    const items = steps.map((item, index) => watched(item, () => looked.add(index)));
    const before = items.slice(0, -10);
    expect(read(wire, before)?.messages.length).toBeGreaterThan(500);
    expect(looked.size).toBe(before.length);
    looked.clear();
    expect(read(wire, items)).toBeDefined();
    // The last message may go on; and what the system says first is read to be counted.
    expect([...looked].filter((index) => index > 0 && index < before.length - 5)).toEqual([]);
  });
});

/** The items of a call and its result. */
function stepOf({ adapter }: Wire, step: number): readonly object[] {
  const id = `call-${step}`;
  switch (adapter.name) {
    case "anthropic":
      return [
        { role: "user", content: [{ type: "tool_result", tool_use_id: `call-${step - 1}`, content: "Text." }] },
        { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
      ];
    case "openai-chat":
      return [
        ...(step === 0 ? [{ role: "user", content: "Read." }] : []),
        { role: "assistant", content: null, tool_calls: [chatCall(id)] },
        { role: "tool", tool_call_id: id, content: "Text." },
      ];
    case "openai-responses":
      return [
        ...(step === 0 ? [{ role: "user", content: "Read." }] : []),
        { type: "function_call", call_id: id, name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: id, output: "Text." },
      ];
    default:
      return [
        ...(step === 0 ? [{ role: "user", parts: [{ text: "Read." }] }] : []),
        { role: "model", parts: [{ functionCall: { id, name: "read", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { id, name: "read", response: { output: "Text." } } }] },
      ];
  }
}

/** The same object, which tells when somebody looks into it. */
function watched(item: object, look: () => void): object {
  return new Proxy(item, {
    get: (target, name) => {
      look();
      return fieldAt(target, String(name));
    },
    ownKeys: (target) => {
      look();
      return Reflect.ownKeys(target);
    },
  });
}
