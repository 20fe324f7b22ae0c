import { type FixtureWire, type Item, SCHEMA, type WireFixture } from "./gateway-fixture.ts";

const responses: FixtureWire = {
  path: "/v1/responses",
  field: "input",
  headers: { authorization: "Bearer key" },
  fields: {
    model: "gpt-5.1-codex",
    instructions: "Be careful.",
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "read_file", strict: false, parameters: SCHEMA }],
  },
  question: { type: "message", role: "user", content: [{ type: "input_text", text: "Read all files." }] },
  turn: (index, output) => [
    { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: `gAAAA-${index}` },
    functionItem(`call_${index}`),
    { type: "function_call_output", call_id: `call_${index}`, output },
  ],
};

function functionItem(callId: string): Item {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name: "read_file",
    arguments: `{"path": "${callId}.ts"}`,
  };
}

const FIXTURES: readonly Omit<WireFixture, "wire">[] = [
  {
    name: "sealed reasoning with ids, before calls in parallel and before text",
    items: [
      {
        type: "reasoning",
        id: "rs_a",
        summary: [{ type: "summary_text", text: "See." }],
        encrypted_content: "gAAAA+/=",
      },
      functionItem("call_a"),
      functionItem("call_b"),
      { type: "function_call_output", call_id: "call_a", output: "one" },
      { type: "function_call_output", call_id: "call_b", output: [{ type: "input_text", text: "two" }] },
      { type: "reasoning", id: "rs_b", summary: [], content: [], encrypted_content: "gAAAAb" },
      {
        type: "message",
        id: "msg_b",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "Both are read.", annotations: [], logprobs: [] }],
      },
      { role: "user", content: "Go on." },
    ],
  },
  {
    name: "items that no one of us knows, and fields too",
    items: [
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
      { type: "context_of_tomorrow", payload: { nested: [1.0, 1e3, "\u0000"] } },
      { type: "local_shell_call", call_id: "sh_1", action: { type: "exec", command: ["ls"] }, name: "shell" },
      { type: "local_shell_call_output", call_id: "sh_1", output: "a.ts" },
    ],
    fields: { prompt_cache_key: "k", reasoning: { effort: "high", summary: "auto" }, of_tomorrow: { a: [null] } },
  },
];

const CODE_TURN = (index: number, output: unknown): readonly Item[] => [
  { type: "custom_tool_call", id: `ctc_${index}`, call_id: `cc_${index}`, name: "exec", input: `cat part-${index}.ts` },
  { type: "custom_tool_call_output", call_id: `cc_${index}`, output },
];

/** The newest models of Codex get their tools as an item, and no field. */
const codex: FixtureWire = {
  ...responses,
  fields: { model: "gpt-5.2-codex", instructions: "Be careful.", store: false },
  question: {
    type: "additional_tools",
    role: "developer",
    tools: [{ type: "custom", name: "exec", description: "Runs.", format: { type: "text" } }],
  },
  turn: (index, output) => [
    ...(index === 0 ? [responses.question] : []),
    ...CODE_TURN(index, [{ type: "input_text", text: output }]),
  ],
};

export const RESPONSES_FIXTURES: readonly WireFixture[] = [
  ...FIXTURES.map((fixture) => ({ ...fixture, name: `Responses: ${fixture.name}`, wire: responses })),
  {
    name: "Responses: additional_tools and custom tool calls",
    wire: codex,
    items: [...CODE_TURN(50, "plain"), ...CODE_TURN(51, [{ type: "input_text", text: "in a list" }])],
  },
];
