import { describe, expect, test } from "vitest";
import { restoreMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { clipBlocks } from "./clip-blocks.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);
const words = (count: number) => "word ".repeat(count).trim();
const options = (budgetTokens: number) => ({ messageIndexes: [0], budgetTokens, countTokens, taskId: "task" });

const image = (length: number) =>
  ({ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(length) } }) as const;

describe("clipping what is folded already", () => {
  test("starts again from the original, and the newer fold shows", () => {
    const content = `begin ${words(4_000)} end`;
    const log: readonly Message[] = [{ role: "user", content }];
    const once = clipBlocks(log, options(1_000));
    const twice = clipBlocks(once.messages, options(200));
    expect(twice.foldId).not.toBe(once.foldId);
    const shown = String(effectiveView(twice.messages)[0]?.content);
    expect(shown).toContain(twice.foldId);
    expect(shown).not.toContain(once.foldId);
    expect(shown.match(/hidden/g)).toHaveLength(1);
    expect(shown).toMatch(/^begin .* end$/);
    expect(twice.messages[0]?.folds?.[1]?.hiddenTokens).toBe(countTokens(content) - twice.tokens);
    expect(restoreMessages(twice.messages, twice.foldId ?? "")).toEqual(once.messages);
    expect(restoreMessages(restoreMessages(twice.messages, once.foldId ?? ""), twice.foldId ?? "")).toEqual(log);
  });

  test("keeps other items of a block clipped, under the name of the newer fold", () => {
    const items = [
      { type: "text", text: words(900) } as const,
      image(40_000),
      { type: "text", text: words(100) } as const,
    ];
    const log: readonly Message[] = [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: items }] },
    ];
    const once = clipBlocks(log, options(900));
    const stored: readonly Message[] = JSON.parse(JSON.stringify(once.messages));
    const twice = clipBlocks(stored, options(300));
    const shown = JSON.stringify(effectiveView(twice.messages));
    expect(shown).not.toContain(once.foldId);
    expect(shown).toContain("[image: 10,0");
    expect(twice.tokens).toBeLessThanOrEqual(300);
    expect(clipBlocks(once.messages, options(900)).messages).toBe(once.messages);
  });

  test("leaves the stub of another fold alone", () => {
    const standIn = { type: "tool_result", tool_use_id: "t", content: "[stub]" } as const;
    const text = { type: "text", text: words(3_000) } as const;
    const log: readonly Message[] = [
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: [text, text, image(9_000)] }, text],
        folds: [{ foldId: "clear-1", kind: "clear", blockIndex: 0, standIn, hiddenTokens: 3_000 }],
      },
    ];
    const { messages, tokens, blocks } = clipBlocks(log, options(300));
    expect(effectiveView(messages)[0]?.content[0]).toBe(standIn);
    expect(blocks).toBe(1);
    expect(tokens).toBeLessThanOrEqual(300);
    expect(tokens).toBeGreaterThan(250);
  });
});
