import { type FixtureWire, type Item, PIXEL, SCHEMA, type WireFixture } from "./gateway-fixture.ts";

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

export const CHAT_FIXTURES: readonly WireFixture[] = [
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
