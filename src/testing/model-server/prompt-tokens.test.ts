import { describe, expect, test } from "vitest";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { countPromptTokens } from "./prompt-tokens.ts";

describe("countPromptTokens", () => {
  test("counts system prompt, tools and messages, on any wire", () => {
    const tools = [{ name: "read", input_schema: { type: "object" } }];
    const expected = countTextTokens("Be brief.") + countTextTokens("Hello?") + countTextTokens(JSON.stringify(tools));
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello?" }] }];
    expect(countPromptTokens({ system: "Be brief.", tools, messages })).toBe(expected);
    const contents = [{ role: "user", parts: [{ text: "Hello?" }] }];
    expect(countPromptTokens({ systemInstruction: { parts: [{ text: "Be brief." }] }, tools, contents })).toBe(
      expected,
    );
  });

  test("counts a call's arguments whatever they are named, and its result", () => {
    const input = { type: "file", data: "of some length", id: "x" };
    const content = [
      { type: "tool_use", id: "toolu_1", name: "read", input },
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "nothing" }] },
    ];
    const expected = countTextTokens("read") + countTextTokens(JSON.stringify(input)) + countTextTokens("nothing");
    expect(countPromptTokens({ messages: [{ role: "user", content }] })).toBe(expected);
  });

  test("counts neither media nor signatures nor what is not the prompt", () => {
    const content = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA".repeat(1_000) } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "thinking", thinking: "", signature: "AAAA".repeat(100) },
    ];
    expect(countPromptTokens({ model: "claude", metadata: { note: "x" }, messages: [{ role: "user", content }] })).toBe(
      0,
    );
  });
});
