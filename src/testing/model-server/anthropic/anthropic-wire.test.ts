import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countTextTokens } from "../../../core/tokens/o200k/count-text-tokens.ts";
import { type ModelServer, startModelServer } from "../../index.ts";

const TOOLS: Anthropic.ToolUnion[] = [{ name: "read", input_schema: { type: "object" } }];
const QUESTION: Anthropic.MessageParam = { role: "user", content: "What is in a.txt?" };
const REQUEST = { model: "claude-haiku-4-5", max_tokens: 100, messages: [QUESTION] };

let server: ModelServer;
let client: Anthropic;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 1_000 });
  client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterEach(() => server.close());

describe("a reply", () => {
  test("comes whole where the client does not stream", async () => {
    server.script({
      type: "text",
      text: "It is empty.",
      reasoning: "Let me see.",
      usage: { inputTokens: 7, outputTokens: 5, cacheReadTokens: 900, cacheWriteTokens: 40 },
    });
    const message = await client.messages.create(REQUEST);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: expect.stringMatching(/.+/) },
      { type: "text", text: "It is empty." },
    ]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.usage).toMatchObject({
      input_tokens: 7,
      output_tokens: 5,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 40,
    });
    expect(server.requests).toEqual([
      expect.objectContaining({
        wire: "anthropic",
        operation: "generate",
        modelId: "claude-haiku-4-5",
        isStreaming: false,
        outcome: "answered",
        promptTokens: countTextTokens("What is in a.txt?"),
      }),
    ]);
  });

  test("streams thinking, text and calls, and adds up to the same message", async () => {
    const reply = {
      type: "tool-calls",
      text: "I read the file, which may take 🦉🦉🦉🦉🦉🦉🦉🦉🦉 a while.",
      reasoning: "The user wants to know what the file says.",
      calls: [
        { id: "toolu_1", name: "read", input: { path: "a.txt" } },
        { id: "toolu_2", name: "read", input: {} },
      ],
    } as const;
    server.script(reply, reply);
    const whole = await client.messages.create({ ...REQUEST, tools: TOOLS });
    const stream = client.messages.stream({ ...REQUEST, tools: TOOLS });
    const deltas: string[] = [];
    stream.on("streamEvent", (event) => {
      if (event.type === "content_block_delta") deltas.push(event.delta.type);
    });
    const streamed = await stream.finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe("tool_use");
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(new Set(deltas)).toEqual(new Set(["thinking_delta", "signature_delta", "text_delta", "input_json_delta"]));
    expect(deltas.filter((type) => type === "text_delta").length).toBeGreaterThan(1);
  });

  test("seals thoughts, and takes them back", async () => {
    const calls = [{ id: "call_1", name: "read", input: {} }];
    server.script({ type: "tool-calls", reasoning: "Hm.", redactedReasoning: "c2VhbGVk", calls });
    const stream = client.messages.stream({ ...REQUEST, tools: TOOLS });
    const { content } = await stream.finalMessage();
    expect(content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "redacted_thinking", data: "c2VhbGVk" },
      { type: "tool_use", id: "call_1" },
    ]);
    const results = [{ type: "tool_result" as const, tool_use_id: "call_1", content: "" }];
    const messages = [QUESTION, { role: "assistant" as const, content }, { role: "user" as const, content: results }];
    expect((await client.messages.create({ ...REQUEST, tools: TOOLS, messages })).stop_reason).toBe("end_turn");
  });

  test("streams raw arguments letter by letter", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "call_1", name: "read", input: {}, rawInput: '{"path": ' }] });
    let json = "";
    for await (const event of await client.messages.create({ ...REQUEST, tools: TOOLS, stream: true })) {
      if (event.type !== "content_block_delta") continue;
      if (event.delta.type === "input_json_delta") json += event.delta.partial_json;
    }
    expect(json).toBe('{"path": ');
  });

  test("goes on after the tool's result", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "toolu_1", name: "read", input: { path: "a.txt" } }] });
    const { content } = await client.messages.create({ ...REQUEST, tools: TOOLS });
    const result: Anthropic.MessageParam = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "nothing" }],
    };
    const messages = [QUESTION, { role: "assistant" as const, content }, result];
    const { stop_reason: stopReason } = await client.messages.create({ ...REQUEST, tools: TOOLS, messages });
    expect(stopReason).toBe("end_turn");
  });

  test("thinks where thinking has a budget, so that the next request can start its loop with it", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "toolu_1", name: "read", input: {} }] });
    const thinking = { type: "enabled", budget_tokens: 50 } as const;
    const { content } = await client.messages.create({ ...REQUEST, tools: TOOLS, thinking });
    expect(content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
    const result = { type: "tool_result" as const, tool_use_id: "toolu_1" };
    const rest = (turn: typeof content): Anthropic.MessageParam[] => [
      QUESTION,
      { role: "assistant", content: turn },
      { role: "user", content: [result] },
    ];
    const next = { ...REQUEST, tools: TOOLS, thinking };
    await client.messages.create({ ...next, messages: rest(content) });
    await expect(client.messages.create({ ...next, messages: rest(content.slice(1)) })).rejects.toThrow(
      /Expected `thinking`/,
    );
  });

  test("counts tokens without using up the script", async () => {
    server.script({ type: "text", text: "scripted" });
    const { input_tokens: tokens } = await client.messages.countTokens({
      model: REQUEST.model,
      system: "Be brief.",
      messages: [QUESTION],
    });
    expect(tokens).toBe(countTextTokens("Be brief.") + countTextTokens("What is in a.txt?"));
    const { content } = await client.messages.create(REQUEST);
    expect(content).toEqual([{ type: "text", text: "scripted" }]);
  });
});

const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const text = (said: string, extra: object = {}) => ({ type: "text", text: said, ...extra });
const thought = (extra: object = {}) => ({ type: "thinking", thinking: "x", signature: "s", ...extra });
const image = (mediaType = "image/png", data = "iVBORw0KGgo=") => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data },
});
const marked = { cache_control: { type: "ephemeral" } };

describe("a request is refused", () => {
  test.each<[string, object, RegExp]>([
    ["without a model", { model: undefined }, /model: Field required/],
    ["without max_tokens", { max_tokens: undefined }, /max_tokens: Field required/],
    ["with max_tokens 0", { max_tokens: 0 }, /max_tokens: Input should be greater/],
    ["without messages", { messages: undefined }, /messages: Field required/],
    ["with no message", { messages: [] }, /at least one message is required/],
    ["with a field that does not exist", { max_output: 5 }, /max_output: Extra inputs are not permitted/],
    ["with a beta field and no beta header", { context_management: {} }, /context_management: Extra inputs/],
    [
      "with settings on a message of the user",
      { messages: [{ ...QUESTION, output_config: { effort: "low" } }] },
      /messages\.0\.output_config: Extra inputs/,
    ],
    [
      "with a cache mark on an empty text",
      { messages: [user(text("", marked))] },
      /cache_control cannot be set for empty text/,
    ],
    ["with a field of ours", { messages: [{ ...QUESTION, ts: 5 }] }, /messages\.0\.ts: Extra inputs/],
    ["with a block of ours", { messages: [user({ type: "reasoning", text: "x" })] }, /Input tag 'reasoning'/],
    ["with a field of ours on a block", { messages: [user(text("x", { fold: 1 }))] }, /text\.fold: Extra inputs/],
    ["with another role", { messages: [{ role: "tool", content: "x" }] }, /messages\.0\.role: Input should be/],
    ["starting with the assistant", { messages: [assistant(text("x"))] }, /first message must use the "user" role/],
    ["starting with a system message", { messages: [{ role: "system", content: "x" }] }, /Unexpected role "system"/],
    [
      "with a system message between two of the user",
      { messages: [QUESTION, { role: "system", content: "x" }, QUESTION] },
      /messages\.1: a "system" message must follow a "user"/,
    ],
    [
      "with empty content",
      { messages: [{ role: "user", content: "" }] },
      /messages\.0: all messages must have non-empty/,
    ],
    ["with no block", { messages: [user()] }, /messages\.0: all messages must have non-empty/],
    ["with an empty text", { messages: [user(text(""))] }, /must be non-empty/],
    ["with white space only", { messages: [{ role: "user", content: " \n" }] }, /must contain non-whitespace/],
    [
      "with a prefill that ends in white space",
      { messages: [QUESTION, assistant(text("So "))] },
      /trailing whitespace/,
    ],
    [
      "with a call that nobody answered",
      { messages: [QUESTION, assistant(call("toolu_1"), call("toolu_2")), user(result("toolu_1"))] },
      /messages\.1: .*without `tool_result` blocks immediately after: toolu_2\./,
    ],
    [
      "with text before the results",
      { messages: [QUESTION, assistant(call("toolu_1")), user(text("x"), result("toolu_1"))] },
      /immediately after: toolu_1/,
    ],
    ["with a call at the end", { messages: [QUESTION, assistant(call("toolu_1"))] }, /immediately after: toolu_1/],
    ["with an orphan result", { messages: [user(result("toolu_9"))] }, /messages\.0\.content\.0: unexpected.*toolu_9/],
    [
      "with two results for one call",
      { messages: [QUESTION, assistant(call("toolu_1")), user(result("toolu_1"), result("toolu_1"))] },
      /multiple `tool_result` blocks with id: toolu_1/,
    ],
    [
      "with an id used twice",
      {
        messages: [QUESTION, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      },
      /ids must be unique/,
    ],
    [
      "with tool blocks and no tools",
      { tools: undefined, messages: [QUESTION, assistant(call("a")), user(result("a"))] },
      /must define tools/,
    ],
    ["with a result in the assistant's turn", { messages: [QUESTION, assistant(result("a"))] }, /only be in `user`/],
    ["with an id that no tool has", { messages: [QUESTION, assistant(call("a b"))] }, /should match pattern/],
    [
      "with five cache marks",
      { system: [text("s", marked)], messages: [user(...["a", "b", "c", "d"].map((said) => text(said, marked)))] },
      /maximum of 4 blocks with cache_control may be provided\. Found 5/,
    ],
    [
      "with a cache mark for an hour behind one for five minutes",
      { system: [text("s", marked)], messages: [user(text("a", { cache_control: { type: "ephemeral", ttl: "1h" } }))] },
      /a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block/,
    ],
    [
      "with thinking that is not signed",
      { messages: [QUESTION, assistant({ type: "thinking", thinking: "x" }, text("y")), QUESTION] },
      /messages\.1\.content\.0\.thinking\.signature: Field required/,
    ],
    [
      "with thinking at the end of a turn",
      { messages: [QUESTION, assistant(text("y"), thought()), QUESTION] },
      /messages\.1: The final block in an assistant message cannot be `thinking`/,
    ],
    [
      "with thinking whose signature is empty",
      { messages: [QUESTION, assistant(thought({ signature: "" }), text("y")), QUESTION] },
      /messages\.1\.content\.0: Invalid `signature`/,
    ],
    [
      "with a prefill, for a model that takes none",
      { model: "claude-sonnet-4-6", messages: [QUESTION, assistant(text("So"))] },
      /does not support assistant message prefill/,
    ],
    [
      "with an image in the assistant's turn",
      { messages: [QUESTION, assistant(image()), QUESTION] },
      /messages\.1\.content\.0: 'image' blocks are not permitted within assistant turns/,
    ],
    ["with an image of another format", { messages: [user(image("image/bmp"))] }, /media_type: Input should be/],
    ["with an image without bytes", { messages: [user(image("image/png", ""))] }, /Invalid base64 data/],
    [
      "with an error that says nothing",
      {
        messages: [QUESTION, assistant(call("a")), user({ type: "tool_result", tool_use_id: "a", is_error: true })],
      },
      /messages\.2\.content\.0\.tool_result: content cannot be empty if `is_error` is true/,
    ],
    [
      "with an error that is an image",
      { messages: [QUESTION, assistant(call("a")), user({ ...result("a"), content: [image()], is_error: true })] },
      /all content must be type `text` if `is_error` is true/,
    ],
    [
      "with an empty text in a result",
      { messages: [QUESTION, assistant(call("a")), user({ ...result("a"), content: [text("")] })] },
      /text content blocks must be non-empty/,
    ],
    [
      "with a field of ours in a result",
      { messages: [QUESTION, assistant(call("a")), user({ ...result("a"), content: [text("x", { fold: 1 })] })] },
      /text\.fold: Extra inputs/,
    ],
    [
      "with a call in a result",
      { messages: [QUESTION, assistant(call("a")), user({ ...result("a"), content: [call("b")] })] },
      /Input tag 'tool_use'/,
    ],
    [
      "with a call of a name that no tool has",
      { messages: [QUESTION, assistant({ ...call("a"), name: "a.b" }), user(result("a"))] },
      /tool_use\.name: String should match pattern/,
    ],
    ["with a tool of such a name", { tools: [{ ...TOOLS[0], name: "a.b" }] }, /tools\.0\.custom\.name: String should/],
    [
      "with a tool whose schema has no type",
      { tools: [{ name: "read", input_schema: {} }] },
      /tools\.0\.custom\.input_schema\.type: Field required/,
    ],
    ["with half of a surrogate pair", { messages: [user(text("a\ud83d"))] }, /not valid JSON: no low surrogate/],
    ["with two tools of one name", { tools: [...TOOLS, ...TOOLS] }, /Tool names must be unique/],
    [
      "with a prompt above the window",
      { messages: [{ role: "user", content: "word ".repeat(1_200) }] },
      /prompt is too long: \d+ tokens > 1000 maximum/,
    ],
  ])("%s", async (_, change, message) => {
    const request = client.post("/v1/messages", { body: { ...REQUEST, tools: TOOLS, ...change } });
    const error = await request.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    const inner = { type: "invalid_request_error", message: expect.stringMatching(message) };
    expect(error).toMatchObject({ status: 400, error: { type: "error", error: inner } });
    expect(server.requests).toMatchObject([{ outcome: "refused", refusal: expect.stringMatching(message) }]);
  });

  test("for a model of another provider, as not found", async () => {
    const request = client.messages.create({ ...REQUEST, model: "gpt-5" });
    await expect(request).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  });

  test("where thinking that the server signed was changed, and not where it came back as it was", async () => {
    server.script({ type: "text", text: "Done.", reasoning: "I think." });
    const { content } = await client.messages.create(REQUEST);
    const withTurn = (turn: Anthropic.ContentBlockParam[]) =>
      client.messages.create({ ...REQUEST, messages: [QUESTION, { role: "assistant", content: turn }, QUESTION] });
    await withTurn(content);
    const changed = content.map((block) => (block.type === "thinking" ? { ...block, thinking: "I thought." } : block));
    await expect(withTurn(changed)).rejects.toThrow(/messages\.1\.content\.0: Invalid `signature` in `thinking` block/);
  });

  test("without a version header", async () => {
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(REQUEST) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: "anthropic-version: header is required" } });
  });
});

describe("a request is accepted", () => {
  test.each<[string, object]>([
    ["with a system message after a user's, at the end", { messages: [QUESTION, { role: "system", content: "x" }] }],
    [
      "with a system message before the assistant's",
      { messages: [QUESTION, { role: "system", content: "x" }, assistant(text("y")), QUESTION] },
    ],
    ["with two turns of the user in a row", { messages: [QUESTION, QUESTION] }],
    ["with a prefill", { messages: [QUESTION, assistant(text("So"))] }],
    ["with text after the results", { messages: [QUESTION, assistant(call("a")), user(result("a"), text("x"))] }],
    [
      "with thinking that has a signature and no text",
      { messages: [QUESTION, assistant({ type: "thinking", thinking: "", signature: "s" }, text("y")), QUESTION] },
    ],
    ["with a whole pair of surrogates", { messages: [user(text("a😀"))] }],
    [
      "with an image in a result, and an error in words",
      {
        messages: [
          QUESTION,
          assistant(call("a"), call("b")),
          user({ ...result("a"), content: [image()] }, { ...result("b"), content: [text("No.")], is_error: true }),
        ],
      },
    ],
    ["with four cache marks", { messages: [user(...["a", "b", "c", "d"].map((said) => text(said, marked)))] }],
  ])("%s", async (_, change) => {
    await client.post("/v1/messages", { body: { ...REQUEST, tools: TOOLS, ...change } });
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
  });

  test.each<[string, object]>([
    ["with a beta field", { context_management: { edits: [] } }],
    ["with servers of its own", { mcp_servers: [] }],
    [
      "with settings on a system message",
      { messages: [QUESTION, { role: "system", content: "x", output_config: { effort: "low" }, clear_at: "never" }] },
    ],
    [
      "with a system message that is nothing but settings",
      { messages: [{ role: "system", content: [], output_config: { effort: "low" } }, QUESTION] },
    ],
  ])("under its header, %s", async (_, change) => {
    const headers = { "anthropic-beta": "context-management-2025-06-27" };
    await client.post("/v1/messages?beta=true", { body: { ...REQUEST, ...change }, headers });
    expect(server.requests).toMatchObject([{ outcome: "answered", path: "/v1/messages?beta=true" }]);
  });

  test("with everything else that the provider knows", async () => {
    const known = {
      metadata: { user_id: "u" },
      service_tier: "auto",
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
      container: "c",
      inference_geo: "eu",
      stop_sequences: ["x"],
      tool_choice: { type: "auto" },
    };
    await client.post("/v1/messages", { body: { ...REQUEST, tools: TOOLS, ...known } });
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
  });
});
