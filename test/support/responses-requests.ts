/** Requests to the Responses API as agents send them, and random ones that a server would accept. */
import fc from "fast-check";
import { openaiResponsesAdapter } from "../../src/adapters/openai-responses/index.ts";
import type { JsonRecord } from "../../src/core/json/read-json.ts";
import type { WirePart, WireRequest } from "../../src/core/ports/wire-adapter.ts";

export const RESPONSES_PATH = "/v1/responses";

/** A body with other fields around its input, indented as some clients send it. */
export function responsesBody(input: unknown, fields: object = {}, indent: number | undefined = undefined): string {
  const request = {
    model: "gpt-5-codex",
    instructions: "You are careful.",
    input,
    stream: true,
    store: false,
    ...fields,
  };
  return JSON.stringify(request, undefined, indent);
}

/** The request, which must be one that is read. */
export function readBody(body: string): WireRequest {
  const request = openaiResponsesAdapter.readRequest({ path: RESPONSES_PATH, body });
  if (request === undefined) throw new Error("This request was not read.");
  return request;
}

/** Messages of a request, as they came. */
export function originals(...indexes: readonly number[]): readonly WirePart[] {
  return indexes.map((index) => ({ type: "original", index }));
}

/** The items of a request with this input when these parts are sent on. */
export function writtenInput(input: unknown, parts: readonly WirePart[]): readonly object[] {
  const body = openaiResponsesAdapter.writeRequest(readBody(responsesBody(input)), parts);
  const written: { readonly input: readonly object[] } = JSON.parse(body);
  return written.input;
}

export const says = (role: string, text: string, fields: object = {}): JsonRecord => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  ...fields,
});
export const thinks = (id: string, thought = "Let me see."): JsonRecord => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: thought }],
  encrypted_content: `gAAAA-${id}`,
});
export const calls = (callId: string, args: object = { path: "a.ts" }, fields: object = {}): JsonRecord => ({
  type: "function_call",
  name: "read_file",
  arguments: JSON.stringify(args),
  call_id: callId,
  ...fields,
});
export const answers = (callId: string, output: unknown = "done"): JsonRecord => ({
  type: "function_call_output",
  call_id: callId,
  output,
});
export const callsCustom = (callId: string, input = "*** Begin Patch"): JsonRecord => ({
  type: "custom_tool_call",
  status: "completed",
  call_id: callId,
  name: "apply_patch",
  input,
});
export const answersCustom = (callId: string, output: unknown = "done"): JsonRecord => ({
  type: "custom_tool_call_output",
  call_id: callId,
  output,
});

const text = fc
  .oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("\ud800 lone", 'quote " and \\ slash', "nul \u0000", "家族 👨‍👩‍👧‍👦"),
    fc.integer({ min: 20, max: 120 }).map((times) => "line of a file\n".repeat(times)),
  )
  // Never blank, never ending in white space: providers refuse both.
  .map((value) => `·${value}·`);

const inputPart = fc.oneof(
  text.map((value) => ({ type: "input_text", text: value })),
  fc.constant({ type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" }),
  fc.constant({ type: "input_file", file_id: "file-1" }),
);
const content = (part: fc.Arbitrary<object>) => fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 }));
const outputPart = text.map((value) => ({ type: "output_text", text: value }));

/** Makes the items of one turn; ids follow from its place. */
type Turn = (place: number) => readonly JsonRecord[];

const userTurn = content(inputPart).map(
  (value): Turn =>
    () => [{ type: "message", role: "user", content: value }],
);
const plainUserTurn = text.map(
  (value): Turn =>
    () => [{ role: "user", content: value }],
);
const systemTurn = text.map(
  (value): Turn =>
    () => [says("developer", value)],
);
const toolsTurn = fc.constant<Turn>(() => [
  { type: "additional_tools", role: "developer", tools: [{ type: "custom" }] },
]);
const unknownTurn = fc.jsonValue({ maxDepth: 2 }).map(
  (payload): Turn =>
    () => [{ type: "mystery", payload }],
);
const searchTurn = text.map(
  (query): Turn =>
    (place) => [{ type: "web_search_call", id: `ws_${place}`, status: "completed", action: { type: "search", query } }],
);
const compactionTurn = fc.constant<Turn>(() => [{ type: "compaction", encrypted_content: "gAAAA" }]);

const replyTurn = fc.record({ value: content(outputPart), isThought: fc.boolean(), hasId: fc.boolean() }).map(
  ({ value, isThought, hasId }): Turn =>
    (place) => [
      ...(isThought ? [thinks(`rs_${place}`)] : []),
      { type: "message", role: "assistant", content: value, ...(hasId && { id: `msg_${place}`, status: "completed" }) },
    ],
);

const call = fc.record({
  isThought: fc.boolean(),
  said: fc.option(text, { nil: undefined }),
  isCustom: fc.boolean(),
  hasId: fc.boolean(),
  input: text,
  output: fc.oneof(text, fc.constant("same file\n".repeat(120)), fc.array(inputPart, { minLength: 1, maxLength: 3 })),
  rank: fc.nat(9),
});

const callsTurn = fc.record({ plans: fc.array(call, { minLength: 1, maxLength: 3 }), isOneByOne: fc.boolean() }).map(
  ({ plans, isOneByOne }): Turn =>
    (place) => {
      const exchanges = plans.map(({ isThought, said, isCustom, hasId, input, output, rank }, index) => {
        const name = `${place}_${index}`;
        const id = hasId ? { id: `${isCustom ? "ctc" : "fc"}_${name}` } : {};
        const callId = `call_${name}`;
        const asked = [
          ...(isThought ? [thinks(`rs_${name}`)] : []),
          // Between calls, text would stand between a call and its output.
          ...(said === undefined || (index > 0 && !isOneByOne) ? [] : [says("assistant", said)]),
          { ...(isCustom ? callsCustom(callId, input) : calls(callId, { command: input })), ...id },
        ];
        return { asked, answer: isCustom ? answersCustom(callId, output) : answers(callId, output), rank };
      });
      if (isOneByOne) return exchanges.flatMap(({ asked, answer }) => [...asked, answer]);
      const answered = exchanges.toSorted((one, other) => one.rank - other.rank).map(({ answer }) => answer);
      return [...exchanges.flatMap(({ asked }) => asked), ...answered];
    },
);

const turn = fc.oneof(
  { weight: 3, arbitrary: userTurn },
  { weight: 1, arbitrary: plainUserTurn },
  { weight: 3, arbitrary: replyTurn },
  { weight: 8, arbitrary: callsTurn },
  { weight: 1, arbitrary: systemTurn },
  { weight: 1, arbitrary: toolsTurn },
  { weight: 1, arbitrary: unknownTurn },
  { weight: 1, arbitrary: searchTurn },
  { weight: 1, arbitrary: compactionTurn },
);

/** The items of a conversation: what a developer says first, a user's opening, and up to twenty turns. */
export const responsesInput: fc.Arbitrary<readonly JsonRecord[]> = fc
  .tuple(
    fc.array(fc.oneof(systemTurn, toolsTurn), { maxLength: 2 }),
    fc.oneof(userTurn, plainUserTurn),
    fc.array(turn, { maxLength: 20, size: "max" }),
  )
  .map(([head, first, rest]) => [...head, first, ...rest].flatMap((build, place) => build(place)));
