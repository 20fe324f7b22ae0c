import { describe, expect, test } from "vitest";
import { restoreMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Block, Content, CountTokens, Message } from "../../message/message.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { clipBlocks } from "./clip-blocks.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);
const words = (count: number) => "word ".repeat(count).trim();
const options = (budgetTokens: number) => ({ messageIndexes: [0], budgetTokens, countTokens, taskId: "task" });

function clipContent(content: Content, budgetTokens: number, role: Message["role"] = "user") {
  const log: readonly Message[] = [{ role, content, id: "m" }];
  const result = clipBlocks(log, options(budgetTokens));
  const shown = effectiveView(result.messages)[0]?.content ?? "";
  expect(result.tokens).toBe(countTokens(shown));
  if (result.foldId !== undefined) expect(restoreMessages(result.messages, result.foldId)).toEqual(log);
  const blocks: readonly Block[] = typeof shown === "string" ? [] : shown;
  return { ...result, log, shown, blocks };
}

const image = (length: number) =>
  ({ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(length) } }) as const;

describe("clipBlocks", () => {
  test("changes nothing when the content fits", () => {
    const { messages, log, foldId, blocks, tokens } = clipContent("short", 100);
    expect(messages).toBe(log);
    expect(foldId).toBeUndefined();
    expect(blocks).toEqual([]);
    expect(tokens).toBe(2);
  });

  test("clips a string to a string", () => {
    const { shown, tokens, foldId, gainTokens } = clipContent(words(2_000), 300);
    expect(shown).toMatch(/^word word.*…\[2,201 tokens hidden in fold clip-\w{7}\]….*word word$/);
    expect(shown).toContain(foldId);
    expect(tokens).toBeLessThanOrEqual(300);
    expect(gainTokens).toBe(2_501 - tokens);
  });

  test("keeps small blocks whole and cuts the large ones to one level", () => {
    const content = [
      { type: "text", text: words(30) },
      { type: "text", text: words(4_000) },
      { type: "text", text: words(900) },
    ] as const;
    const { blocks, messages, tokens } = clipContent(content, 1_000);
    expect(blocks[0]).toBe(content[0]);
    expect(messages[0]?.folds?.map((fold) => fold.blockIndex)).toEqual([1, 2]);
    const [, second, third] = blocks.map((block) => countTokens([block]));
    expect(Math.abs((second ?? 0) - (third ?? 0))).toBeLessThan(60);
    expect(tokens).toBeGreaterThan(850);
  });

  test("shares the budget among several messages, in one fold", () => {
    const log: readonly Message[] = [words(100), words(3_000), "small", words(3_000)].map((content) => ({
      role: "user",
      content,
    }));
    const { messages, tokens, blocks } = clipBlocks(log, { ...options(1_000), messageIndexes: [0, 1, 3] });
    expect(blocks).toBe(2);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect([messages[0], messages[2]]).toEqual([log[0], log[2]]);
    expect(messages[2]).toBe(log[2]);
    expect(messages[1]?.folds?.[0]?.foldId).toBe(messages[3]?.folds?.[0]?.foldId);
  });

  test("keeps the id, the error flag and unknown fields of a tool result", () => {
    const result = {
      type: "tool_result",
      tool_use_id: "t",
      is_error: true,
      cache_control: { type: "ephemeral" },
      content: `Trace:\n${words(2_000)}\nError: the end`,
    } as const;
    const { blocks } = clipContent([result], 200);
    expect(blocks).toEqual([{ ...result, content: expect.stringMatching(/^Trace:\n.*hidden.*\nError: the end$/s) }]);
  });

  test("clips the text items of a tool result and leaves its images alone while that is enough", () => {
    const items = [
      { type: "text", text: words(2_000), citations: [] } as const,
      image(400),
      { type: "text", text: "end" } as const,
    ];
    const { blocks } = clipContent([{ type: "tool_result", tool_use_id: "t", content: items }], 400);
    expect(blocks).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ ...items[0], text: expect.stringContaining("tokens hidden") }, items[1], items[2]],
      },
    ]);
  });

  test("replaces the largest image by a line of text when nothing else suffices", () => {
    const content = [image(40_000), image(400), { type: "text", text: words(500) } as const];
    const { blocks, tokens } = clipContent(content, 300);
    expect(blocks[0]).toEqual({
      type: "text",
      text: expect.stringMatching(/^\[image: 10,0\d\d tokens hidden in fold /),
    });
    expect(blocks[1]).toBe(content[1]);
    expect(tokens).toBeLessThanOrEqual(300);
  });

  test("replaces an image inside a tool result in the same way", () => {
    const { blocks } = clipContent([{ type: "tool_result", tool_use_id: "t", content: [image(40_000)] }], 100);
    expect(blocks).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "text", text: expect.stringContaining("[image: 10,0") }],
      },
    ]);
  });

  test("clips long strings in the arguments of a call and keeps its keys", () => {
    const call = {
      type: "tool_use",
      id: "t",
      name: "write_file",
      input: { path: "src/a.ts", content: words(2_000), flags: { dry: false, depth: 3 } },
    } as const;
    const { blocks, tokens } = clipContent([call], 200, "assistant");
    expect(blocks).toEqual([
      {
        ...call,
        input: {
          ...call.input,
          content: expect.stringMatching(/^word.*characters here: 2,3\d\d tokens hidden.*word$/),
        },
      },
    ]);
    expect(tokens).toBeLessThanOrEqual(200);
  });

  test("brings arguments that have no JSON, or are text, down as well", () => {
    const cyclic: Record<string, unknown> = { path: "a" };
    cyclic.self = cyclic;
    const call = { type: "tool_use", id: "t", name: "run", input: cyclic };
    const log: readonly Message[] = [{ role: "assistant", content: [call] }];
    const counter: CountTokens = ([block]) =>
      typeof block === "object" && "input" in block && block.input === cyclic ? 5_000 : 50;
    const { messages, tokens } = clipBlocks(log, { ...options(100), countTokens: counter });
    expect(tokens).toBe(50);
    expect(messages[0]?.folds?.[0]?.standIn).toEqual({
      ...call,
      input: { "…": expect.stringContaining("4,900 tokens") },
    });

    const text = clipContent([{ type: "tool_use", id: "t", name: "run", input: words(900) }], 200, "assistant");
    expect(text.blocks[0]).toMatchObject({ id: "t", input: expect.stringContaining("tokens hidden") });
  });

  test("replaces unknown blocks of a message together, and only after all else", () => {
    const call = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const result = { type: "web_search_tool_result", tool_use_id: "s", content: words(3_000) };
    const content: readonly Block[] = [call, result, { type: "text", text: words(1_000) }];
    const roomy = clipContent(content, 4_000, "assistant");
    expect(roomy.blocks.slice(0, 2)).toEqual([call, result]);
    expect(roomy.tokens).toBeLessThanOrEqual(4_000);
    const tight = clipContent(content, 400, "assistant");
    expect(tight.blocks.map((block) => block.type)).toEqual(["text", "text", "text"]);
    expect(tight.tokens).toBeLessThanOrEqual(400);
  });

  test("never alters reasoning under its signature: it stays, or goes whole as the very last", () => {
    const reasoning = { type: "reasoning", text: words(1_000), signature: "c2ln" } as const;
    const content: readonly Block[] = [reasoning, { type: "document", source: words(1_000) } as Block, image(4_000)];
    expect(clipContent(content, 1_400, "assistant").blocks.map((block) => block.type)).toEqual([
      "reasoning",
      "text",
      "text",
    ]);
    expect(clipContent(content, 1_400, "assistant").blocks[0]).toBe(reasoning);
    const tight = clipContent(content, 200, "assistant");
    expect(tight.blocks[0]).toEqual({
      type: "text",
      text: expect.stringMatching(/^\[reasoning: 1,2\d\d tokens hidden in fold /),
    });
  });

  test("tells the truth when the budget is impossible", () => {
    const { tokens, foldId } = clipContent(
      [
        { type: "text", text: words(1_000) },
        { type: "text", text: "small" },
      ],
      1,
    );
    expect(foldId).toBeDefined();
    expect(tokens).toBeGreaterThan(1);
    expect(tokens).toBeLessThan(50);
    const small = clipContent([{ type: "text", text: "small" }], 1);
    expect(small.messages).toBe(small.log);
    expect(small.foldId).toBeUndefined();
  });

  test("fits also where the whole counts for more than its parts", () => {
    const perBlock: CountTokens = (content) =>
      countTokens(content) + (typeof content === "string" ? 0 : content.length ** 2);
    const content = Array.from({ length: 12 }, () => ({ type: "text", text: words(300) }) as const);
    const { tokens } = clipBlocks([{ role: "user", content }], { ...options(1_500), countTokens: perBlock });
    expect(tokens).toBeLessThanOrEqual(1_500);
  });

  test("counts a huge original once", () => {
    let counted = 0;
    const counter: CountTokens = (content) => {
      const size = JSON.stringify(content).length;
      counted += size;
      return Math.ceil(size / 4);
    };
    const text = "ab".repeat(2_000_000);
    const log: readonly Message[] = [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: text }] },
    ];
    const { tokens } = clipBlocks(log, { ...options(2_000), countTokens: counter });
    expect(tokens).toBeLessThanOrEqual(2_000);
    expect(counted - text.length).toBeLessThan(100_000);
  });

  test.each([
    ["one letter", "a".repeat(16_000_000)],
    ["base64", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo9".repeat(444_445)],
    ["JSON", `[${"1234567,".repeat(1_999_999)}1234567]`],
  ])("clips a line of sixteen million characters of %s, counted exactly", (_, content) => {
    const log: readonly Message[] = [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] }];
    const { tokens, messages } = clipBlocks(log, { ...options(8_000), countTokens: countContentTokens });
    expect(tokens).toBeLessThanOrEqual(8_000);
    expect(tokens).toBeGreaterThan(6_000);
    expect(messages[0]?.folds).toHaveLength(1);
  });

  test("refuses an index outside the log and a budget that is no number", () => {
    expect(() => clipBlocks([], { ...options(Number.NaN), messageIndexes: [] })).toThrow("budgetTokens is NaN");
    expect(() => clipBlocks([], options(10))).toThrow("messageIndexes holds 0, but the log has 0 messages.");
  });
});
