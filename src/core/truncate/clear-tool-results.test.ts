import { describe, expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import { restoreMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { isToolUse } from "../message/tool-pairs.ts";
import { validateView } from "../message/validate-view.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);
const options = { countTokens, taskId: "task" };

/** A log of `count` reads, each answered with the output or, without one, about 1,000 tokens. */
function reads(count: number, output?: string): readonly Message[] {
  const log: Message[] = [{ role: "user", content: "go", id: "start" }];
  for (let index = 0; index < count; index++) {
    const input = { path: `src/${index}.ts` };
    log.push({ role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read_file", input }] });
    log.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: output ?? `${index} `.repeat(1_300) }],
    });
  }
  return log;
}

function shownResult(messages: readonly Message[], index: number): Block | undefined {
  const content = effectiveView(messages)[2 + index * 2]?.content;
  return typeof content === "string" ? undefined : content?.[0];
}

describe("clearToolResults", () => {
  test("shows all but the newest results as stubs, in one fold", () => {
    const log = reads(14);
    const cleared = clearToolResults(log, options);
    expect(cleared.blocks).toBe(4);
    expect(cleared.foldId).toMatch(/^clear-\w{7}$/);
    expect(shownResult(cleared.messages, 3)).toEqual({
      type: "tool_result",
      tool_use_id: "t3",
      content: `[read_file src/3.ts: 664 tokens hidden in fold ${cleared.foldId}]`,
    });
    expect(shownResult(cleared.messages, 4)).toBe(shownResult(log, 4));
    expect(validateView(effectiveView(cleared.messages))).toEqual([]);
  });

  test("hides as many tokens as it says", () => {
    const log = reads(14);
    const cleared = clearToolResults(log, options);
    const size = (messages: readonly Message[]) =>
      effectiveView(messages).reduce((sum, message) => sum + countTokens(message.content), 0);
    expect(size(log) - size(cleared.messages)).toBe(cleared.gainTokens);
  });

  test("changes nothing when the batch gains too little", () => {
    const log = reads(13);
    expect(clearToolResults(log, options)).toEqual({ messages: log, blocks: 0, gainTokens: 0 });
    expect(clearToolResults(log, options).messages).toBe(log);
    expect(clearToolResults(log, { ...options, minGainTokens: 1_800 }).blocks).toBe(3);
  });

  test("leaves untouched messages the same objects, and restores what it touched", () => {
    const log = reads(14);
    const { messages, foldId = "" } = clearToolResults(log, options);
    for (const [index, message] of messages.entries()) {
      if (message.folds === undefined) expect(message).toBe(log[index]);
    }
    expect(restoreMessages(messages, foldId)).toEqual(log);
  });

  test("keeps results in messages marked important", () => {
    const log = reads(4).map((message, index) => (index === 2 ? { ...message, important: true } : message));
    const { messages, blocks } = clearToolResults(log, { ...options, keepNewest: 0, minGainTokens: 1 });
    expect(blocks).toBe(3);
    expect(messages[2]).toBe(log[2]);
  });

  test("clears a clipped result too, and says how much smaller the view became by it", () => {
    const clipped = clipBlocks(reads(3), { messageIndexes: [2], budgetTokens: 300, countTokens });
    const cleared = clearToolResults(clipped.messages, { ...options, keepNewest: 2, minGainTokens: 1 });
    expect(cleared.blocks).toBe(1);
    expect(JSON.stringify(shownResult(cleared.messages, 0))).toContain("664 tokens hidden");
    expect(cleared.gainTokens).toBeGreaterThan(200);
    expect(cleared.gainTokens).toBeLessThan(300);
    expect(restoreMessages(cleared.messages, cleared.foldId ?? "")).toEqual(clipped.messages);
  });

  test("skips results that are cleared already", () => {
    const once = clearToolResults(reads(14), options);
    const twice = clearToolResults(once.messages, { ...options, keepNewest: 9, minGainTokens: 1 });
    expect(twice.blocks).toBe(1);
    expect(twice.foldId).not.toBe(once.foldId);
  });

  test("counts only what is visible among the newest", () => {
    const log = reads(4).map((message, index) => (index >= 5 ? { ...message, truncationParent: "gone" } : message));
    const marker: Message = { role: "user", content: "[…]", isTruncationMarker: true, truncationId: "gone" };
    const { messages, blocks } = clearToolResults([...log, marker], { ...options, keepNewest: 1, minGainTokens: 1 });
    expect(blocks).toBe(1);
    expect(messages[2]?.folds).toHaveLength(1);
  });

  test("keeps the error flag and fields that it does not know, and leaves what is smaller than a stub", () => {
    const result = {
      type: "tool_result",
      tool_use_id: "t",
      is_error: true,
      cache_control: { type: "ephemeral" },
    } as const;
    const content = [
      { ...result, content: "x".repeat(900) },
      { ...result, content: "ok" },
    ];
    const log: readonly Message[] = [{ role: "user", content }];
    const { messages, blocks, foldId } = clearToolResults(log, { ...options, keepNewest: 0, minGainTokens: 1 });
    expect(blocks).toBe(1);
    expect(effectiveView(messages)[0]?.content).toEqual([
      { ...result, content: `[tool result: 252 tokens hidden in fold ${foldId}]` },
      { ...result, content: "ok" },
    ]);
  });

  // Of a hundred thousand, anything that looks at all results for each result would not end in time.
  const count = sized({ full: 100_000, short: 10_000 });
  test(`clears all but the newest of ${count} results, counting each and its stub once`, () => {
    const log = reads(count, "x".repeat(200));
    let counts = 0;
    const countCharacters: CountTokens = ([block]) => {
      counts++;
      return typeof block === "object" && "content" in block ? String(block.content).length : 0;
    };
    const { messages, blocks } = clearToolResults(log, { countTokens: countCharacters });
    const cleared = count - 10;
    expect(blocks).toBe(cleared);
    expect(counts).toBe(2 * cleared);
    expect(shownResult(messages, cleared - 1)).toMatchObject({
      content: expect.stringContaining(`src/${cleared - 1}.ts`),
    });
    expect(shownResult(messages, cleared)).toBe(shownResult(log, cleared));
  });

  test("leaves the results of excluded tools, and counts them among the newest", () => {
    const log = reads(14);
    expect(clearToolResults(log, { ...options, excludeTools: ["read_file"] }).blocks).toBe(0);
    expect(clearToolResults(log, { ...options, excludeTools: ["write_file"] }).blocks).toBe(4);
  });

  test("clears the results of named messages alone, however new they are", () => {
    const log = reads(3).map((message, index) => ({ ...message, id: `m${index}` }));
    const cleared = clearToolResults(log, { ...options, messageIds: ["m2", "m6"], minGainTokens: 1 });
    expect(cleared.blocks).toBe(2);
    expect(cleared.messages[4]).toBe(log[4]);
    expect(clearToolResults(log, { ...options, messageIds: [], minGainTokens: 1 }).messages).toBe(log);
  });

  test("says in a stub what the caller wants it to say, and how to get the result back", () => {
    const cleared = clearToolResults(reads(14), { ...options, placeholder: "old output" });
    expect(shownResult(cleared.messages, 0)).toMatchObject({
      content: `[old output: 664 tokens hidden in fold ${cleared.foldId}]`,
    });
  });

  describe("with long arguments", () => {
    /** A log of so many written files, of about 1,800 tokens each. */
    const writes = (count: number) =>
      reads(count, "Done.").map((message): Message => {
        const [block] = typeof message.content === "string" ? [] : message.content;
        if (block === undefined || !isToolUse(block)) return message;
        const content = `export const name${block.id} = "a line of code";\n`.repeat(150);
        return { ...message, content: [{ ...block, name: "write_file", input: { path: `${block.id}.ts`, content } }] };
      });

    test("leaves them unless it is told to clear them", () => {
      expect(clearToolResults(writes(30), options).blocks).toBe(0);
    });

    test("shows those of old calls by head and tail, with their keys, and gives them back", () => {
      const log = writes(30);
      const cleared = clearToolResults(log, { ...options, clearToolInputs: true });
      expect(cleared.blocks).toBe(20);
      const size = (messages: readonly Message[]) =>
        effectiveView(messages).reduce((sum, message) => sum + countTokens(message.content), 0);
      expect(size(log) - size(cleared.messages)).toBe(cleared.gainTokens);
      expect(cleared.gainTokens).toBeGreaterThan(0.9 * ((20 * size(log)) / 30));
      const view = effectiveView(cleared.messages);
      expect(view[1]?.content).toMatchObject([
        {
          id: "t0",
          name: "write_file",
          input: { path: "t0.ts", content: expect.stringContaining(cleared.foldId ?? "?") },
        },
      ]);
      expect(view[41]).toBe(log[41]);
      expect(validateView(view)).toEqual([]);
      expect(restoreMessages(cleared.messages, cleared.foldId ?? "")).toEqual(log);
    });

    test("leaves those of important messages, of excluded tools, and what is shown by a stand-in already", () => {
      const log = writes(30).map((message) => ({ ...message, important: true }));
      expect(clearToolResults(log, { ...options, clearToolInputs: true }).blocks).toBe(0);
      const excluded = { ...options, clearToolInputs: true, excludeTools: ["write_file"] };
      expect(clearToolResults(writes(30), excluded).blocks).toBe(0);
      const once = clearToolResults(writes(30), { ...options, clearToolInputs: true }).messages;
      expect(clearToolResults(once, { ...options, clearToolInputs: true }).blocks).toBe(0);
    });
  });

  test.each([
    ["excludeTools", { excludeTools: "read_file" }],
    ["clearToolInputs", { clearToolInputs: 1 }],
    ["messageIds", { messageIds: "m1" }],
    ["placeholder", { placeholder: 5 }],
  ])("refuses a bad %s", (name, bad) => {
    expect(() => clearToolResults(reads(1), { ...options, ...JSON.parse(JSON.stringify(bad)) })).toThrow(name);
  });
});
