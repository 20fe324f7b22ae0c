/** How the requests and replies of each wire look, for the contract of adapters. */
import type { AdapterFixtures, ContractStep, ModelServer } from "../../src/testing/index.ts";

const TASK = "Mend the tests – all of them.";
const LAST = "And now?";
const USAGE = { inputTokens: 90, cacheReadTokens: 10, cacheWriteTokens: 0, outputTokens: 5 };

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (value: object) => `data: ${JSON.stringify(value)}\r\n\r\n`;

/** Asks a strict server what it has against a body. */
const refusals =
  (server: () => ModelServer, headers: Readonly<Record<string, string>> = {}) =>
  async (path: string, body: string) => {
    const response = await fetch(`${server().url}${path}`, { method: "POST", headers, body });
    const reply = await response.text();
    return response.status === 200 ? undefined : reply;
  };

const reversed = (value: object): object => Object.fromEntries(Object.entries(value).toReversed());

export function anthropicFixtures(server: () => ModelServer): AdapterFixtures {
  const messages = (steps: readonly ContractStep[], mark?: object): readonly object[] => [
    { role: "user", content: mark === undefined ? TASK : [{ type: "text", text: TASK, ...mark }] },
    ...steps.flatMap(({ id, path, output }) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: `I read ${path} for ${id}.` },
          { type: "tool_use", id, name: "read", input: { path } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output, ...mark }] },
    ]),
    { role: "assistant", content: "It is done." },
    { role: "user", content: LAST },
  ];
  const rest = {
    model: "claude-sonnet-4-5",
    max_tokens: 4_096,
    tools: [{ name: "read", input_schema: { type: "object" } }],
  };
  const usage = { input_tokens: 90, cache_read_input_tokens: 10, cache_creation_input_tokens: 0, output_tokens: 5 };
  return {
    path: "/v1/messages",
    body: (steps) => ({ ...rest, messages: messages(steps), metadata: { user_id: "someone" } }),
    sameBodies: [
      (steps) => ({ messages: messages(steps).map(reversed), ...rest }),
      (steps) => ({ ...rest, messages: messages(steps, { cache_control: { type: "ephemeral" } }) }),
    ],
    strangers: [
      { path: "/v1/messages/batches", body: "{}" },
      { path: "/v1/messages", body: '{"messages":[]}' },
      { path: "/v1/threads/one/messages", body: '{"messages":[{"role":"user","content":"Hi."}]}' },
    ],
    allowance: "max_tokens",
    replies: [
      { text: JSON.stringify({ type: "message", content: [], usage }), usage: USAGE },
      {
        text: [
          event("message_start", { type: "message_start", message: { usage } }),
          event("content_block_start", { type: "content_block_start", index: 0 }),
          event("message_delta", { type: "message_delta", usage: { output_tokens: 5 } }),
        ].join(""),
        usage: USAGE,
      },
    ],
    refusalOf: refusals(server, { "anthropic-version": "2023-06-01" }),
  };
}

export function chatFixtures(server: () => ModelServer): AdapterFixtures {
  const messages = (steps: readonly ContractStep[], asParts = false): readonly object[] => [
    { role: "system", content: "Be brief." },
    { role: "user", content: asParts ? [{ type: "text", text: TASK }] : TASK },
    ...steps.flatMap(({ id, path, output }) => [
      {
        role: "assistant",
        content: `I read ${path} for ${id}.`,
        tool_calls: [{ id, type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } }],
      },
      { role: "tool", tool_call_id: id, content: asParts ? [{ type: "text", text: output }] : output },
    ]),
    { role: "user", content: LAST },
  ];
  const rest = { model: "gpt-4.1", max_completion_tokens: 4_096, x_unknown: [1.0] };
  const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } };
  return {
    path: "/v1/chat/completions",
    body: (steps) => ({ ...rest, messages: messages(steps), prompt_cache_key: "key" }),
    sameBodies: [
      (steps) => ({ messages: messages(steps).map(reversed), ...rest }),
      (steps) => ({ ...rest, messages: messages(steps, true) }),
    ],
    strangers: [
      { path: "/v1/chat/completions/one", body: "{}" },
      { path: "/v1/chat/completions", body: '{"messages":[{"role":"system","content":"Alone."}]}' },
    ],
    allowance: "max_completion_tokens",
    replies: [
      { text: JSON.stringify({ choices: [{ message: { content: "Hi." } }], usage }), usage: USAGE },
      {
        text: [
          data({ choices: [{ delta: { role: "assistant", content: "" } }] }),
          data({ choices: [{ delta: { content: "Hi." } }] }),
          data({ choices: [], usage }),
          "data: [DONE]\n\n",
        ].join(""),
        usage: USAGE,
      },
    ],
    refusalOf: refusals(server),
  };
}

export function responsesFixtures(server: () => ModelServer): AdapterFixtures {
  const input = (steps: readonly ContractStep[], type?: string): readonly object[] => [
    { role: "user", content: type === undefined ? TASK : [{ type: "input_text", text: TASK }], ...(type && { type }) },
    ...steps.flatMap(({ id, path, output }) => [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: `I read ${path} for ${id}.` }] },
      { type: "function_call", call_id: id, name: "read", arguments: JSON.stringify({ path }) },
      { type: "function_call_output", call_id: id, output },
    ]),
    { role: "user", content: LAST },
  ];
  const rest = { model: "gpt-5", max_output_tokens: 4_096, instructions: "Be brief." };
  const response = {
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 10 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  return {
    path: "/v1/responses",
    body: (steps) => ({ ...rest, input: input(steps), store: false }),
    sameBodies: [
      (steps) => ({ input: input(steps).map(reversed), ...rest }),
      (steps) => ({ ...rest, input: input(steps, "message") }),
    ],
    strangers: [
      { path: "/v1/responses/compact", body: "{}" },
      { path: "/v1/responses", body: '{"input":[{"role":"user","content":"Hi."}],"previous_response_id":"resp_1"}' },
    ],
    allowance: "max_output_tokens",
    replies: [
      { text: JSON.stringify({ object: "response", output: [], ...response }), usage: USAGE },
      {
        text: [
          event("response.created", { type: "response.created" }),
          event("response.output_text.delta", { type: "response.output_text.delta", delta: "Hi." }),
          event("response.completed", { type: "response.completed", response }),
        ].join(""),
        usage: USAGE,
      },
    ],
    refusalOf: refusals(server),
  };
}

export function geminiFixtures(server: () => ModelServer): AdapterFixtures {
  const contents = (steps: readonly ContractStep[], hasRole = true): readonly object[] => [
    { ...(hasRole && { role: "user" }), parts: [{ text: TASK }] },
    ...steps.flatMap(({ id, path, output }) => [
      {
        role: "model",
        parts: [{ text: `I read ${path} for ${id}.` }, { functionCall: { id, name: "read", args: { path } } }],
      },
      { role: "user", parts: [{ functionResponse: { id, name: "read", response: { output } } }] },
    ]),
    { role: "model", parts: [{ text: "It is done." }] },
    { role: "user", parts: [{ text: LAST }] },
  ];
  const rest = { systemInstruction: { parts: [{ text: "Be brief." }] }, generationConfig: { maxOutputTokens: 4_096 } };
  const piece = {
    candidates: [{ content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 10, candidatesTokenCount: 5 },
  };
  const { cacheWriteTokens: _, ...usage } = USAGE;
  return {
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    body: (steps) => ({ ...rest, contents: contents(steps) }),
    sameBodies: [
      (steps) => ({ contents: contents(steps).map(reversed), ...rest }),
      (steps) => ({ ...rest, contents: contents(steps, false) }),
    ],
    strangers: [
      { path: "/v1beta/models/gemini-2.5-pro:embedContent", body: "{}" },
      { path: "/v1beta/models/gemini-2.5-pro:generateContent", body: '{"contents":{}}' },
    ],
    replies: [
      { text: JSON.stringify(piece), usage },
      { text: data(piece), usage },
      { text: JSON.stringify([piece, piece], null, 1), usage },
    ],
    refusalOf: refusals(server),
  };
}
