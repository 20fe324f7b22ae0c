import { describe, expect, test } from "vitest";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { JsonObject } from "./json.ts";
import { countPromptTokens, promptBlocks } from "./prompt.ts";

const count = (body: JsonObject) => countPromptTokens(promptBlocks(body));

describe("the tokens of a prompt", () => {
  test("are those of system prompt, tools and messages, on any wire", () => {
    const tool = { name: "read", input_schema: { type: "object" } };
    const tools = [tool];
    const expected = countTextTokens("Be brief.") + countTextTokens("Hello?") + countTextTokens(JSON.stringify(tool));
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello?" }] }];
    expect(count({ system: "Be brief.", tools, messages })).toBe(expected);
    const contents = [{ role: "user", parts: [{ text: "Hello?" }] }];
    expect(count({ systemInstruction: { parts: [{ text: "Be brief." }] }, tools, contents })).toBe(expected);
    const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello?" }] }];
    expect(count({ instructions: "Be brief.", tools, input })).toBe(expected);
    expect(count({ instructions: "Be brief.", tools, input: "Hello?" })).toBe(expected);
  });

  test("are those of a call's arguments whatever they are named, and of its result", () => {
    const input = { type: "file", data: "of some length", id: "x" };
    const content = [
      { type: "tool_use", id: "toolu_1", name: "read", input },
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "nothing" }] },
    ];
    const expected = countTextTokens("read") + countTextTokens(JSON.stringify(input)) + countTextTokens("nothing");
    expect(count({ messages: [{ role: "user", content }] })).toBe(expected);
  });

  test("are those of calls and outputs that are items of their own, and of tools declared among them", () => {
    const tools = [{ type: "custom", name: "apply_patch" }];
    const input = [
      { type: "additional_tools", role: "developer", tools },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}", status: "completed" },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "nothing" }] },
      { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
    ];
    const texts = [JSON.stringify(tools), "read", "{}", "nothing", "apply_patch", "*** Begin Patch"];
    expect(count({ input })).toBe(texts.reduce((sum, text) => sum + countTextTokens(text), 0));
  });

  test("are not those of media, signatures, sealed thoughts and what is not the prompt", () => {
    const content = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA".repeat(1_000) } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "thinking", thinking: "", signature: "AAAA".repeat(100) },
    ];
    const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA".repeat(100) };
    expect(count({ model: "claude", metadata: { note: "x" }, messages: [{ role: "user", content }] })).toBe(0);
    expect(count({ input: [sealed] })).toBe(0);
  });

  test("are the same with marks for a cache and without", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const body = (extra: object) => ({
      tools: [{ name: "read", ...extra }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello?", ...extra }] }],
    });
    expect(count(body(mark))).toBe(count(body({})));
  });
});

describe("the blocks of a prompt", () => {
  const mark = { cache_control: { type: "ephemeral" } };

  test("are marked where the request marks them, also inside a result and for the whole request", () => {
    const result = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x", ...mark }] };
    const messages = [{ role: "user", content: [{ type: "text", text: "y" }, result, { type: "text", text: "z" }] }];
    expect(promptBlocks({ messages }).map(({ isMarked }) => isMarked)).toEqual([false, true, false]);
    expect(promptBlocks({ messages, ...mark }).map(({ isMarked }) => isMarked)).toEqual([false, true, true]);
  });

  test("say who speaks and where a message starts", () => {
    const call = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
    const body = {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        { role: "assistant", content: null, tool_calls: [call] },
      ],
    };
    expect(promptBlocks(body).map(({ role, opensMessage }) => [role, opensMessage])).toEqual([
      ["system", true],
      ["user", true],
      ["user", false],
      ["assistant", true],
    ]);
  });
});
