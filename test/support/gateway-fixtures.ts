/** What real agents send beside plain text and calls, on each wire: all of it must reach the provider as it is. */
import type { SdkKind } from "./gateway-client.ts";
import { toolOutput } from "./gateway-script.ts";

type Item = Readonly<Record<string, unknown>>;

export interface WireFixture {
  readonly name: string;
  readonly wire: FixtureWire;
  /** The newest part of the conversation. */
  readonly items: readonly Item[];
  /** Fields of the body that take the place of the usual ones; undefined leaves one out. */
  readonly fields?: Item;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FixtureWire {
  readonly path: string;
  readonly field: SdkKind["field"];
  readonly headers: Readonly<Record<string, string>>;
  /** The body but for its conversation. */
  readonly fields: Item;
  readonly question: Item;
  /** One call and what it gave. */
  turn(index: number, output: string): readonly Item[];
}

/** A body with long work before the fixture, which must be folded, and so many turns after it. */
export function fixtureBody({ wire, items, fields = {} }: WireFixture, turnsAfter: number): string {
  const work = Array.from({ length: 18 }, (_, index) => wire.turn(index, toolOutput("work", index))).flat();
  const after = Array.from({ length: turnsAfter }, (_, index) => wire.turn(100 + index, "nothing new"));
  const conversation = [wire.question, ...work, ...items, ...after.flat()];
  // Indented: whatever is written anew would look different.
  return JSON.stringify({ ...wire.fields, [wire.field]: conversation, ...fields }, undefined, 1);
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
const MARK = { cache_control: { type: "ephemeral" } };

const anthropic: FixtureWire = {
  path: "/v1/messages?beta=true",
  field: "messages",
  headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "anthropic-beta": "context-management-2025-06-27" },
  fields: {
    model: "claude-opus-4-6",
    max_tokens: 2_000,
    system: [{ type: "text", text: "Be careful." }],
    tools: [{ name: "read_file", description: "Reads.", input_schema: SCHEMA }],
  },
  question: { role: "user", content: "Read all files." },
  turn: (index, output) => [
    { role: "assistant", content: [call(`toolu_${index}`)] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: output }] },
  ],
};

function call(id: string, fields: Item = {}): Item {
  return { type: "tool_use", id, name: "read_file", input: { path: `${id}.ts` }, ...fields };
}

const given = (id: string, fields: Item = {}): Item => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "It is empty.", ...fields }],
});
const asks = { role: "user", content: "Now look at a.ts." };
const THINKING = { thinking: { type: "enabled", budget_tokens: 1_024 } };

const ANTHROPIC: readonly Omit<WireFixture, "wire">[] = [
  {
    name: "thinking with its signature",
    items: [
      asks,
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "a.ts \u2028 first…", signature: "EqQBCgIYAhIM+/=" }, call("toolu_t")],
      },
      given("toolu_t"),
    ],
    fields: THINKING,
  },
  {
    name: "empty thinking with a signature",
    items: [
      asks,
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "", signature: "EqQBCgIYAhIM0000" }, call("toolu_e")],
      },
      given("toolu_e"),
    ],
    fields: THINKING,
  },
  {
    name: "redacted thinking",
    items: [
      asks,
      { role: "assistant", content: [{ type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }, call("toolu_r")] },
      given("toolu_r"),
    ],
    fields: THINKING,
  },
  {
    name: "system messages among the messages",
    items: [
      asks,
      { role: "system", content: [{ type: "text", text: "The user opened b.ts." }] },
      { role: "assistant", content: [call("toolu_s")] },
      given("toolu_s"),
      { role: "system", content: "Keep it short.", output_config: { effort: "low" } },
    ],
  },
  {
    name: "settings of single turns",
    items: [
      { role: "system", content: "", output_config: { effort: "high" } },
      { role: "assistant", content: [call("toolu_o")] },
      given("toolu_o"),
    ],
  },
  {
    name: "four marks for the cache",
    items: [
      { role: "assistant", content: [{ type: "text", text: "See.", ...MARK }, call("toolu_m")] },
      given("toolu_m", { content: [{ type: "text", text: "Nothing.", ...MARK }] }),
    ],
    fields: {
      system: [{ type: "text", text: "Be careful.", ...MARK }],
      tools: [{ name: "read_file", description: "Reads.", input_schema: SCHEMA, ...MARK }],
    },
  },
  {
    name: "blocks and fields of other kinds",
    items: [
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
          {
            type: "web_search_tool_result",
            tool_use_id: "srvtoolu_1",
            content: [{ url: "u", encrypted_content: "E=" }],
          },
          call("toolu_k", { caller: { type: "direct" } }),
        ],
      },
      given("toolu_k", {
        is_error: true,
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
      }),
    ],
    fields: {
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      metadata: { user_id: "u" },
      service_tier: "auto",
    },
  },
];

const gemini: FixtureWire = {
  path: "/v1beta/models/gemini-3-pro-preview:generateContent",
  field: "contents",
  headers: { "x-goog-api-key": "key" },
  fields: {
    systemInstruction: { parts: [{ text: "Be careful." }] },
    tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: SCHEMA }] }],
  },
  question: { role: "user", parts: [{ text: "Read all files." }] },
  turn: (index, output) => [
    { role: "model", parts: [{ ...functionCall(`c${index}`), thoughtSignature: `c2ln${index}` }] },
    { role: "user", parts: [{ functionResponse: { id: `c${index}`, name: "read_file", response: { output } } }] },
  ],
};

function functionCall(id: string): Item {
  return { functionCall: { id, name: "read_file", args: { path: `${id}.ts` } } };
}

const GEMINI: readonly Omit<WireFixture, "wire">[] = [
  {
    name: "thought signatures, on calls in parallel and on text",
    items: [
      {
        role: "model",
        parts: [
          { text: "Let me see.", thought: true },
          { text: "", thoughtSignature: "dGV4dA==" },
          { ...functionCall("p1"), thoughtSignature: "Y2FsbA==" },
          functionCall("p2"),
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "p1", name: "read_file", response: { output: "one" } } },
          { functionResponse: { id: "p2", name: "read_file", response: { output: "two" } } },
        ],
      },
    ],
  },
  {
    name: "images in functionResponse.parts, and parts and fields of other kinds",
    items: [
      { role: "model", parts: [{ ...functionCall("i1"), thoughtSignature: "aW1n" }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "i1",
              name: "read_file",
              response: { output: { $ref: "a.png" } },
              parts: [{ inlineData: { mimeType: "image/png", data: PIXEL, displayName: "a.png" } }],
            },
          },
        ],
      },
      {
        role: "model",
        parts: [
          { executableCode: { language: "PYTHON", code: "print(1)" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" }, partMetadata: { a: 1 } },
        ],
      },
      { role: "user", parts: [{ text: "Go on." }] },
    ],
    fields: {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" }, temperature: 1.0 },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      labels: { team: "a" },
    },
  },
];

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

const RESPONSES: readonly Omit<WireFixture, "wire">[] = [
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

const chat: FixtureWire = {
  path: "/v1/chat/completions",
  field: "messages",
  headers: { authorization: "Bearer key" },
  fields: { model: "gpt-4.1", tools: [{ type: "function", function: { name: "read_file", parameters: SCHEMA } }] },
  question: { role: "user", content: "Read all files." },
  turn: (index, output) => [
    { role: "assistant", content: null, tool_calls: [chatCall(`call_${index}`)] },
    { role: "tool", tool_call_id: `call_${index}`, content: output },
  ],
};

function chatCall(id: string): Item {
  return { id, type: "function", function: { name: "read_file", arguments: `{"path": "${id}.ts"}` } };
}

const deepseek: FixtureWire = {
  ...chat,
  path: "/deepseek/chat/completions",
  fields: { ...chat.fields, model: "deepseek-reasoner" },
  turn: (index, output) => [
    { role: "assistant", content: "", reasoning_content: `Step ${index}.`, tool_calls: [chatCall(`call_${index}`)] },
    { role: "tool", tool_call_id: `call_${index}`, content: output },
  ],
};

export const WIRE_FIXTURES: readonly WireFixture[] = [
  ...ANTHROPIC.map((fixture) => ({ ...fixture, name: `Messages: ${fixture.name}`, wire: anthropic })),
  ...GEMINI.map((fixture) => ({ ...fixture, name: `Gemini: ${fixture.name}`, wire: gemini })),
  ...RESPONSES.map((fixture) => ({ ...fixture, name: `Responses: ${fixture.name}`, wire: responses })),
  {
    name: "Responses: additional_tools and custom tool calls",
    wire: codex,
    items: [...CODE_TURN(50, "plain"), ...CODE_TURN(51, [{ type: "input_text", text: "in a list" }])],
  },
  {
    name: "Chat: roles, parts and fields of other kinds",
    wire: chat,
    items: [
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }] },
      { role: "assistant", content: null, refusal: "No.", annotations: [] },
      { role: "developer", content: "Be brief.", name: "host" },
      { role: "user", content: [{ type: "text", text: "Then tell why." }] },
    ],
    fields: { prompt_cache_key: "k", metadata: { a: "b" }, of_tomorrow: { a: [null, 1.0] } },
  },
  {
    name: "Chat: reasoning_content, which DeepSeek wants back",
    wire: deepseek,
    items: [
      { role: "assistant", content: "", reasoning_content: "Look \u2028 first.", tool_calls: [chatCall("call_d")] },
      { role: "tool", tool_call_id: "call_d", content: "It is empty." },
    ],
  },
];
