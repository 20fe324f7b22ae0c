import { describe, expect, test } from "vitest";
import {
  answers,
  answersCustom,
  calls,
  callsCustom,
  RESPONSES_PATH,
  readBody,
  responsesBody,
  says,
  thinks,
} from "../../../test/support/responses-requests.ts";
import { canonicalTexts } from "../../../test/support/wire-parts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { openaiResponsesAdapter } from "./index.ts";

const read = (body: string, path = RESPONSES_PATH) => openaiResponsesAdapter.readRequest({ path, body });
const roles = (input: unknown) => readBody(responsesBody(input)).messages.map(({ role }) => role);
const types = (input: unknown) =>
  readBody(responsesBody(input)).messages.map(({ content }) =>
    typeof content === "string" ? "string" : content.map(({ type }) => type).join(" "),
  );

const DEEP = "[".repeat(200_000) + "]".repeat(200_000);
const TOOLS = { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] };

describe("a request of Codex", () => {
  const input = [
    TOOLS,
    says("developer", "You may write to the workspace."),
    says("user", "<environment_context/>"),
    says("user", "Rename the flag."),
    thinks("rs_1"),
    says("assistant", "I look first."),
    callsCustom("call_1", "rg flag"),
    callsCustom("call_2", "ls"),
    answersCustom("call_1", [{ type: "input_text", text: "a.ts: flag" }]),
    answersCustom("call_2", "a.ts"),
    thinks("rs_2"),
    says("assistant", "Done.", { id: "msg_2", phase: "final_answer" }),
  ];

  test("is read with its model, its allowance, and all that is counted besides the conversation", () => {
    const request = readBody(responsesBody(input, { max_output_tokens: 900, tools: [{ type: "web_search" }] }));
    expect(request).toMatchObject({ modelId: "gpt-5-codex", isStreaming: true, maxOutputTokens: 900 });
    expect(request.systemPrompt).toBe("You are careful.\n\nYou may write to the workspace.");
    expect(request.tools).toEqual([{ type: "web_search" }, { type: "custom", name: "exec" }]);
  });

  test("groups reasoning with what it led to, and outputs behind their calls", () => {
    expect(roles(input)).toEqual(["user", "user", "assistant", "user", "assistant"]);
    expect(types(input)).toEqual([
      "text",
      "text",
      "reasoning text tool_use tool_use",
      "tool_result tool_result",
      "reasoning text",
    ]);
    expect(validateView(readBody(responsesBody(input)).messages)).toEqual([]);
  });

  test("keeps seals, ids and phases on the blocks", () => {
    const last = readBody(responsesBody(input)).messages.at(-1);
    expect(last?.content).toEqual([
      { ...thinks("rs_2"), text: "Let me see." },
      { type: "text", text: "Done.", item_id: "msg_2", phase: "final_answer" },
    ]);
  });

  test("reads arguments as JSON, and what a custom tool takes as text", () => {
    const { messages } = readBody(
      responsesBody([
        says("user", "go"),
        calls("c1", { path: "a" }),
        answers("c1"),
        callsCustom("c2", "{}"),
        answersCustom("c2"),
      ]),
    );
    expect(messages[1]?.content).toEqual([{ type: "tool_use", id: "c1", name: "read_file", input: { path: "a" } }]);
    expect(messages[3]?.content).toMatchObject([{ type: "tool_use", input: "{}", item_type: "custom_tool_call" }]);
  });
});

describe("who is calling", () => {
  test("a message tells the ids of the calls that it makes", () => {
    const input = [says("user", "go"), calls("c1"), callsCustom("c2"), answers("c1"), answersCustom("c2")];
    expect(readBody(responsesBody(input)).callIds).toEqual([[], ["c1", "c2"], []]);
  });

  test("the key of its cache names the agent's session, an empty one does not", () => {
    const sessionOf = (fields: object) => readBody(responsesBody("go", fields)).agentSession;
    expect(sessionOf({ prompt_cache_key: "s1" })).toBe("s1");
    expect([sessionOf({ prompt_cache_key: "" }), sessionOf({ prompt_cache_key: null }), sessionOf({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("a reply is wanted, with or without a slash at the end", () => {
    expect(read(responsesBody("go"))?.operation).toBe("generate");
    expect(read(responsesBody("go"), "/openai/v1/responses/")?.operation).toBe("generate");
  });
});

describe("items in the conversation", () => {
  test("that answer late still come right behind their calls", () => {
    const input = [
      says("user", "go"),
      calls("c1"),
      calls("c2"),
      answers("c1"),
      says("user", "and hurry"),
      says("assistant", "waiting"),
      answers("c2"),
    ];
    expect(types(input)).toEqual(["text", "tool_use tool_use", "tool_result tool_result", "text", "text"]);
    expect(validateView(readBody(responsesBody(input)).messages)).toEqual([]);
  });

  test("of the developer go with the user's message before them, or are one, but not between a call and its output", () => {
    const input = [says("user", "go"), calls("c1"), says("developer", "be quick"), answers("c1"), says("system", "x")];
    expect(types(input)).toEqual(["text", "tool_use text", "tool_result text"]);
    expect(types([says("user", "go"), says("assistant", "yes"), says("developer", "hint")])).toEqual([
      "text",
      "text",
      "text",
    ]);
  });

  test("of types and roles that we do not know are kept, and count", () => {
    const input = [
      says("user", "go"),
      { type: "mystery", payload: "word ".repeat(50) },
      says("critic", "hm"),
      "no item",
      { type: "text", text: 5 },
    ];
    const { messages } = readBody(responsesBody(input));
    expect(types(input)).toEqual(["text", "mystery message unknown_item text_item"]);
    expect(countContentTokens(messages[1]?.content ?? "")).toBeGreaterThan(50);
    expect(validateView(messages)).toEqual([]);
  });

  test("whose call the provider keeps stay with the reference before them", () => {
    const input = [
      says("user", "go"),
      { type: "item_reference", id: "rs_1" },
      { type: "item_reference", id: "fc_1" },
      answers("c1"),
      { type: "item_reference", id: "fc_2" },
      answers("c2"),
    ];
    expect(types(input)).toEqual([
      "text",
      "item_reference item_reference orphan_output",
      "item_reference orphan_output",
    ]);
    expect(validateView(readBody(responsesBody(input)).messages)).toEqual([]);
  });

  test("that run at the provider are no calls of which an output is missing", () => {
    const input = [says("user", "go"), { type: "tool_search_call", call_id: "s1", arguments: {} }, says("user", "on")];
    expect(types(input)).toEqual(["text", "tool_search_call", "text"]);
  });

  test("that no summary can stand for are marked important", () => {
    const input = [
      says("user", "go"),
      { type: "compaction", encrypted_content: "gAAAA" },
      { type: "tool_search_call", call_id: "s1", execution: "client", arguments: { query: "mail" } },
      { type: "tool_search_output", call_id: "s1", tools: [{ type: "function", name: "send" }] },
    ];
    const { messages } = readBody(responsesBody(input));
    expect(messages.map(({ important }) => important ?? false)).toEqual([false, true, false, true]);
    expect(types(input)).toEqual(["text", "compaction", "tool_use", "tool_result"]);
  });

  test("show what built-in tools did", () => {
    const shell = { stdout: "a.ts", stderr: "warning", outcome: { type: "exit", exit_code: 0 } };
    const { messages } = readBody(
      responsesBody([
        says("user", "go"),
        { type: "shell_call", call_id: "s1", action: { commands: ["ls"] } },
        { type: "shell_call_output", call_id: "s1", output: [shell] },
        { type: "computer_call", call_id: "s2", id: "cu_1", action: { type: "screenshot" } },
        {
          type: "computer_call_output",
          call_id: "s2",
          output: { type: "computer_screenshot", image_url: "https://example.invalid/a.png" },
        },
      ]),
    );
    expect(messages[1]?.content).toMatchObject([{ type: "tool_use", name: "shell", input: { commands: ["ls"] } }]);
    expect(messages[2]?.content).toMatchObject([{ type: "tool_result", content: "a.ts\nwarning" }]);
    expect(messages[4]?.content).toMatchObject([{ content: [{ type: "image", source: { type: "url" } }] }]);
  });
});

test.each<[string, string, string?]>([
  ["its last item", responsesBody([says("user", "go"), { type: "compaction_trigger" }])],
  ["its path", responsesBody([says("user", "go")]), "/v1/responses/compact"],
])("a request for a compaction is known by %s, which is no part of the conversation", (_, body, path) => {
  expect(read(body, path)).toMatchObject({ operation: "compact", messages: [{ content: [{ text: "go" }] }] });
});

describe("a request that is not read", () => {
  test.each<[string, string, string?]>([
    ["is no JSON", "{"],
    ["is no object", "[]"],
    ["has no input", "{}"],
    ["has an empty input", responsesBody([])],
    ["has an input that is neither text nor list", responsesBody({ role: "user" })],
    ["has nothing but what the developer says", responsesBody([says("developer", "x"), TOOLS])],
    ["goes on with what the provider keeps", responsesBody("go", { previous_response_id: "resp_1" })],
    ["is of a conversation that the provider keeps", responsesBody("go", { conversation: { id: "conv_1" } })],
    ["has calls of a program", responsesBody([says("user", "go"), { type: "program", call_id: "p", code: "" }])],
    ["is to another path", responsesBody("go"), "/v1/responses/input_tokens"],
    ["is nested beyond measure", responsesBody([says("user", "go"), { type: "x", y: "DEEP" }]).replace('"DEEP"', DEEP)],
  ])("%s", (_, body, path) => {
    expect(read(body, path)).toBeUndefined();
  });

  test("but one whose other fields are null is", () => {
    expect(readBody(responsesBody("go", { previous_response_id: null, conversation: null }))).toMatchObject({
      messages: [{ role: "user", content: "go" }],
    });
  });
});

describe("the canonical text", () => {
  const canonical = (...input: readonly unknown[]) => canonicalTexts(readBody(responsesBody(input)));

  test("is the same however a message is written", () => {
    const one = canonical({ role: "user", content: "go" }, calls("c1"), answers("c1", "done"));
    const marked = { type: "input_text", prompt_cache_breakpoint: { mode: "explicit" }, text: "go" };
    const reordered = Object.fromEntries(Object.entries(calls("c1")).toReversed());
    const parts = [{ text: "done", type: "input_text" }];
    const other = canonical({ content: [marked], role: "user", type: "message" }, reordered, answers("c1", parts));
    expect(one).toEqual(other);
    expect(canonicalTexts(readBody(responsesBody("go")))).toEqual(canonical({ role: "user", content: "go" }));
  });

  test("differs by what is said, by who says it, and by the ids of calls", () => {
    const texts = [
      canonical(says("user", "go")),
      canonical(says("user", "Go")),
      canonical(says("assistant", "go")),
      canonical(says("user", "x"), { type: "note", role: "user", content: "go" }),
      canonical(says("user", "x"), { role: "user", content: "go" }),
      canonical({ ...says("user", "go"), id: "msg_1" }),
      canonical(says("user", "x"), calls("c1"), answers("c1")).slice(1),
      canonical(says("user", "x"), calls("c2"), answers("c2")).slice(1),
    ].map((each) => each.join());
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test("one tool alone is told, and whether it must be called", () => {
  const onlyTool = (tools: unknown, choice?: unknown) =>
    readBody(responsesBody([says("user", "Go")], { tools, tool_choice: choice })).onlyTool;
  const form = { type: "function", name: "answer" };
  expect(onlyTool([form])).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], "auto")).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], "required")).toEqual({ name: "answer", isForced: true });
  expect(onlyTool([form], form)).toEqual({ name: "answer", isForced: true });
  for (const tools of [[], [{ type: "local_shell" }], [form, form]]) {
    expect(onlyTool(tools, "required")).toBeUndefined();
  }
  expect(readBody(responsesBody([TOOLS, says("user", "Go")], { tools: [form] })).onlyTool).toBeUndefined();
});

test("how long the conversation is to stay cached is what the request asks for", () => {
  const asked = (more: object) => read(JSON.stringify({ input: [says("user", "Go on")], ...more }))?.cacheTtlMs;
  expect(asked({ prompt_cache_retention: "24h" })).toBe(24 * 3_600_000);
  expect(asked({ prompt_cache_options: { mode: "implicit", ttl: "30m" } })).toBe(30 * 60_000);
  expect(asked({ prompt_cache_retention: "in-memory" })).toBeUndefined();
  expect(asked({})).toBeUndefined();
});
