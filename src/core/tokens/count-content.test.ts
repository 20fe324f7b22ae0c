import { describe, expect, test } from "vitest";
import type { Block, Content } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";
import { countTextTokens } from "./o200k/count-text-tokens.ts";

/** What arrives at run time need not fit the types. */
function malformed(json: string): Content {
  return JSON.parse(json);
}

const data = (length: number): Block => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(length) },
});

test("counts nothing for empty content", () => {
  expect(countContentTokens("")).toBe(0);
  expect(countContentTokens([])).toBe(0);
  expect(countContentTokens([{ type: "text", text: "" }])).toBe(0);
});

test("counts text and reasoning by their text", () => {
  expect(countContentTokens("hello world")).toBe(2);
  expect(countContentTokens([{ type: "text", text: "hello world" }])).toBe(2);
  const signed = { type: "reasoning", text: "hello world", signature: "c2lnbmVk".repeat(50) } as const;
  expect(countContentTokens([signed])).toBe(2);
});

test("counts blocks one by one, never across their boundary", () => {
  const halves: Content = [
    { type: "text", text: "hel" },
    { type: "text", text: "lo" },
  ];
  expect(countContentTokens(halves)).toBe(countTextTokens("hel") + countTextTokens("lo"));
});

describe("images", () => {
  test.each([
    [0, 0],
    [1, 1],
    [100, 10],
    [101, 11],
    [1_000_000, 1_000],
  ])("count %i base64 characters as %i tokens", (length, tokens) => {
    expect(countContentTokens([data(length)])).toBe(tokens);
  });

  test("count 300 where they are only linked or their source is unreadable", () => {
    expect(countContentTokens([{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }])).toBe(
      300,
    );
    expect(countContentTokens(malformed('[{"type":"image"},{"type":"image","source":null}]'))).toBe(600);
    expect(countContentTokens(malformed('[{"type":"image","source":{"type":"base64","data":7}}]'))).toBe(300);
  });
});

describe("documents", () => {
  const bytes = "JVBERi0xLjcK".repeat(40_000);
  const pdf = `data:application/pdf;base64,${bytes}`;
  const asImage = Math.ceil(Math.sqrt(pdf.length));

  test.each<[wire: string, block: Block]>([
    ["Anthropic", { type: "document", source: { type: "base64", media_type: "application/pdf", data: bytes } }],
    ["Chat", { type: "file", file: { file_data: pdf, filename: "a.pdf" } }],
    ["Responses", { type: "input_file", file_data: pdf, filename: "a.pdf" }],
    ["Gemini", { type: "part", part: { inlineData: { mimeType: "application/pdf", data: bytes } } }],
    ["MCP", { type: "resource", resource: { mimeType: "application/pdf", uri: "file:a.pdf", blob: bytes } }],
  ])("of %s count about as an image of their size does, not as text", (_, block) => {
    const rest = countTextTokens(JSON.stringify(block).replaceAll(pdf, "").replaceAll(bytes, ""));
    expect(countContentTokens([block])).toBeGreaterThan(asImage - 5);
    expect(countContentTokens([block])).toBeLessThanOrEqual(asImage + rest);
  });

  test("that are text count as their text", () => {
    const source = { type: "text", media_type: "text/plain", data: "word ".repeat(1_000) };
    expect(countContentTokens([{ type: "document", source }])).toBeGreaterThan(1_000);
  });

  test("that are only linked count as their JSON", () => {
    const block = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } };
    expect(countContentTokens([block])).toBe(countTextTokens(JSON.stringify(block)));
  });
});

describe("tool calls", () => {
  const call = (input: unknown): Content => [{ type: "tool_use", id: "call_1", name: "read_file", input }];

  test("count as the tool's name and its arguments in JSON", () => {
    const expected = countTextTokens('Tool: read_file\nArguments: {"path":"src/a.ts","lines":[1,2]}');
    expect(countContentTokens(call({ path: "src/a.ts", lines: [1, 2] }))).toBe(expected);
  });

  test("count with a placeholder for arguments that have no JSON", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const throwing = {
      toJSON() {
        throw new Error("no");
      },
    };
    const expected = countTextTokens("Tool: read_file\nArguments: [unserializable]");
    for (const input of [cycle, { size: 12n }, throwing, undefined, () => 1]) {
      expect(countContentTokens(call(input))).toBe(expected);
    }
  });

  test("count more for longer arguments", () => {
    expect(countContentTokens(call({ text: "word ".repeat(1_000) }))).toBeGreaterThan(1_000);
  });
});

describe("tool results", () => {
  const result = (content: Content | undefined, is_error?: boolean): Content => [
    { type: "tool_result", tool_use_id: "call_1", ...(content && { content }), ...(is_error && { is_error }) },
  ];

  test("count their id and text", () => {
    expect(countContentTokens(result("done"))).toBe(countTextTokens("Result: call_1\ndone"));
    expect(countContentTokens(result(undefined))).toBe(countTextTokens("Result: call_1"));
  });

  test("count that they failed", () => {
    expect(countContentTokens(result("no such file", true))).toBe(
      countTextTokens("Result: call_1\nError: true\nno such file"),
    );
  });

  test("count placeholders for images and for items that are not understood", () => {
    const items: Content = [{ type: "text", text: "seen:" }, data(1_000_000), { type: "document" }];
    expect(countContentTokens(result(items))).toBe(countTextTokens("Result: call_1\nseen:\n[image]\n[unknown]"));
  });
});

describe("what we do not understand", () => {
  test("counts an unknown block by its JSON", () => {
    const block = { type: "server_tool_use", id: "s1", input: { query: "palimpsest" } };
    expect(countContentTokens([block])).toBe(countTextTokens(JSON.stringify(block)));
  });

  test("counts an unknown block that has no JSON", () => {
    const block = { type: "odd", size: 12n };
    expect(countContentTokens([block])).toBe(countTextTokens("[unserializable]"));
  });

  test.each([
    "null",
    "7",
    '{"type":"text","text":"not in a list"}',
    '[null, 7, "text", []]',
    '[{"type":"text"}, {"type":"text","text":null}, {"type":"reasoning"}]',
    '[{"type":"tool_use"}, {"type":"tool_use","name":null,"input":null}]',
    '[{"type":"tool_result"}, {"type":"tool_result","content":null}, {"type":"tool_result","content":{"a":1}}]',
    '[{"type":"tool_result","content":[null, 7, "text", {"type":"text"}, {}]}]',
    '[{}, {"type":null}, {"type":7}, {"type":"constructor"}, {"type":"__proto__"}]',
  ])("counts %s without failing", (json) => {
    expect(countContentTokens(malformed(json))).toBeGreaterThanOrEqual(0);
  });
});
