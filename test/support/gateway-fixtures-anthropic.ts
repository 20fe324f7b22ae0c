import { type FixtureWire, type Item, PIXEL, SCHEMA, type WireFixture } from "./gateway-fixture.ts";

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

const FIXTURES: readonly Omit<WireFixture, "wire">[] = [
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
        is_error: false,
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

export const ANTHROPIC_FIXTURES: readonly WireFixture[] = FIXTURES.map((fixture) => ({
  ...fixture,
  name: `Messages: ${fixture.name}`,
  wire: anthropic,
}));
