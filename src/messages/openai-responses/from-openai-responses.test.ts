import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../core/message/message.ts";
import { fromOpenAiResponses, type OpenAiResponsesItem, toOpenAiResponses } from "./index.ts";

const user = (content: Message["content"]): Message => ({ role: "user", content });
const assistant = (content: Message["content"]): Message => ({ role: "assistant", content });
const call = (id: string, fields: object = {}): Block => ({ type: "tool_use", id, name: "read", input: {}, ...fields });
const result = (id: string, content: string | readonly Block[] = "done"): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const text = (value: string, fields: object = {}): Block => ({ type: "text", text: value, ...fields });

const written = (messages: readonly Message[], stored = false) => toOpenAiResponses(messages, { stored }).input;
const functionCall = (id: string, fields: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
  ...fields,
});
const output = (id: string, value: unknown = "done") => ({ type: "function_call_output", call_id: id, output: value });

describe("there and back", () => {
  const there: readonly (readonly [string, readonly OpenAiResponsesItem[]])[] = [
    [
      "what others than the user say",
      [
        { role: "developer", content: "Be brief." },
        {
          role: "system",
          content: [
            { type: "input_text", text: "a" },
            { type: "input_text", text: "b" },
          ],
        },
        { role: "user", content: "Hi." },
        { role: "assistant", content: "Ho.", phase: "final_answer" },
        { role: "developer", content: "Be long." },
        { role: "user", content: [{ type: "input_text", text: "On.", prompt_cache_breakpoint: { mode: "explicit" } }] },
      ],
    ],
    [
      "media",
      [
        {
          role: "user",
          content: [
            { type: "input_image", detail: "high", image_url: "https://example.invalid/a.png" },
            { type: "input_image", detail: "auto", file_id: "f1" },
            { type: "input_file", file_url: "https://example.invalid/a.pdf", filename: "a.pdf" },
          ],
        },
      ],
    ],
    [
      "a reply with its ids, and calls as they were written",
      [
        { role: "user", content: "Go." },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "Hm." }],
          content: [{ type: "reasoning_text", text: "So." }],
          encrypted_content: "c2VhbA",
        },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "incomplete",
          phase: "commentary",
          content: [
            {
              type: "output_text",
              text: "See a.",
              annotations: [
                { type: "url_citation", url: "https://a.invalid", title: "A", start_index: 0, end_index: 3 },
              ],
            },
            { type: "refusal", refusal: "No more." },
          ],
        },
        {
          type: "function_call",
          id: "fc_1",
          call_id: "a",
          name: "read",
          arguments: '{ "path":\t"x" }',
          status: "completed",
        },
        { type: "function_call", id: "fc_2", call_id: "b", name: "read", arguments: '{"path": "x', namespace: "files" },
        { type: "custom_tool_call", id: "ctc_1", call_id: "c", name: "shell", input: '{"a": 1}' },
        { type: "function_call_output", call_id: "a", output: "one", status: "completed" },
        { type: "function_call_output", call_id: "b", output: [{ type: "input_text", text: "two" }] },
        { type: "custom_tool_call_output", call_id: "c", output: "three", caller: { type: "direct" } },
      ],
    ],
    [
      "thoughts in a row",
      [
        { role: "user", content: "Go." },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "a" },
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "b" },
        { type: "function_call", id: "fc_1", call_id: "a", name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "one" },
      ],
    ],
    [
      "a reply that no reasoning led to",
      [
        { role: "user", content: "Go." },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Yes.", annotations: [] }],
        },
        { role: "user", content: "On." },
      ],
    ],
    [
      "items of the API's own",
      [
        { type: "compaction", id: "cmp_1", encrypted_content: "c" },
        { role: "user", content: "Go." },
        { ...{ type: "mcp_list_tools", server_label: "s", tools: [] }, id: "mcpl_1" },
        { ...{ type: "web_search_call", status: "completed", action: { type: "search", query: "x" } }, id: "ws_1" },
        { ...{ type: "mcp_approval_request", name: "t", arguments: "{}", server_label: "s" }, id: "mcpr_1" },
        { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      ],
    ],
  ];
  test.each(there)("keeps %s", (_, items) => {
    expect(toOpenAiResponses(fromOpenAiResponses(items)).input).toEqual(items);
  });
});

describe("fromOpenAiResponses", () => {
  test("reads a reply without what only replies have", () => {
    const parts = [{ type: "output_text", text: "Hi.", annotations: [], logprobs: [], parsed: { a: 1 } }];
    const messages = fromOpenAiResponses([
      { type: "reasoning", id: "rs_1", summary: [], status: "completed" },
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content: parts },
      { ...functionCall("a"), parsed_arguments: {}, created_by: "x" },
    ]);
    expect(messages).toEqual([
      assistant([
        { type: "reasoning", id: "rs_1", summary: [], text: "" },
        text("Hi.", { item_id: "msg_1", follows: "rs_1" }),
        call("a", { follows: "msg_1" }),
      ]),
    ]);
  });

  test("puts outputs right behind their calls, wherever they stand", () => {
    const items = [functionCall("a"), { role: "user", content: "Hurry." }, functionCall("b"), output("b"), output("a")];
    const messages = fromOpenAiResponses(items);
    expect(messages).toEqual([
      assistant([call("a")]),
      user([result("a")]),
      user("Hurry."),
      assistant([call("b")]),
      user([result("b")]),
    ]);
  });

  test("reads outputs whose calls were read before", () => {
    expect(fromOpenAiResponses([output("a"), output("b")])).toEqual([user([result("a"), result("b")])]);
  });

  describe("calls of built-in tools", () => {
    const outcome = { type: "exit", exit_code: 0 };
    const items = [
      { role: "user", content: "Go." },
      { type: "shell_call", id: "sh_1", call_id: "a", action: { commands: ["ls"] }, status: "completed" },
      {
        type: "apply_patch_call",
        id: "ap_1",
        call_id: "b",
        operation: { type: "delete_file", path: "x" },
        status: "completed",
      },
      { type: "computer_call", id: "cu_1", call_id: "c", actions: [{ type: "screenshot" }], pending_safety_checks: [] },
      { type: "local_shell_call", id: "ls_1", call_id: "d", action: { type: "exec", command: ["ls"], env: {} } },
      { type: "shell_call_output", call_id: "a", output: [{ stdout: "x", stderr: "", outcome }] },
      { type: "apply_patch_call_output", call_id: "b", status: "failed", output: "no x" },
      {
        type: "computer_call_output",
        call_id: "c",
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" },
      },
      { type: "local_shell_call_output", id: "d", output: "x" },
    ];
    const messages = fromOpenAiResponses(items);

    test("are pairs to us, and go back as they came", () => {
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(messages[2]?.content).toMatchObject([
        { content: "x" },
        { content: "no x" },
        { content: [{ type: "image" }] },
        { content: "x" },
      ]);
      expect(written(messages)).toEqual(items);
    });

    test("become calls of functions where an id is too long, or the output is of another tool", () => {
      const shellCall = (id: string) => ({ type: "shell_call", id: "sh_1", call_id: id, action: { commands: ["ls"] } });
      const shellOutput = (id: string) => ({ type: "shell_call_output", id: "so_1", call_id: id, output: [] });
      const typesOf = (list: readonly object[]) =>
        written([user("Go."), ...fromOpenAiResponses(list)]).map((item) => ("type" in item ? item.type : "message"));
      const long = "x".repeat(70);
      const functions = ["message", "function_call", "function_call_output"];
      expect(typesOf([shellCall(long), shellOutput(long)])).toEqual(functions);
      const patched = { type: "apply_patch_call_output", call_id: "a", status: "completed" };
      expect(typesOf([shellCall("a"), patched])).toEqual(functions);
      expect(typesOf([shellCall("a"), shellOutput("a")])).toEqual(["message", "shell_call", "shell_call_output"]);
    });

    test("become calls of functions where one half was folded, without the ids of their items", () => {
      const results = typeof messages[2]?.content === "string" ? [] : (messages[2]?.content ?? []);
      const folded = [...messages.slice(0, 2), user(results.map((block) => ({ ...block, content: "[cleared]" })))];
      expect(written(folded).slice(1)).toEqual([
        functionCall("a", { name: "shell", arguments: '{"commands":["ls"]}' }),
        functionCall("b", { name: "apply_patch", arguments: '{"type":"delete_file","path":"x"}' }),
        functionCall("c", { name: "computer", arguments: '[{"type":"screenshot"}]' }),
        functionCall("d", { name: "local_shell", arguments: '{"type":"exec","command":["ls"],"env":{}}' }),
        output("a", "[cleared]"),
        output("b", "[cleared]"),
        output("c", "[cleared]"),
        output("d", "[cleared]"),
      ]);
    });
  });

  test("says which entry is no item", () => {
    const items: readonly object[] = JSON.parse("[5]");
    expect(() => fromOpenAiResponses(items)).toThrow("items[0] is 5; it must be an item of the Responses API.");
    expect(() => fromOpenAiResponses([{ role: "critic" }])).toThrow('items[0].role is "critic"; it must be "user",');
  });
});
