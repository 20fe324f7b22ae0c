import { get_encoding } from "tiktoken";
import { describe, expect, test } from "vitest";
import { type Block, isKnownBlock, type KnownBlock, type Message } from "../../../core/message/message.ts";
import { validateView } from "../../../core/message/validate-view.ts";
import { demoFacts } from "./demo-facts.ts";
import { demoSession } from "./demo-session.ts";

const messages = demoSession();
const blocks: readonly KnownBlock[] = messages.flatMap(({ content }) =>
  typeof content === "string" ? [{ type: "text", text: content } as const] : content.filter(isKnownBlock),
);
const uses = blocks.filter((block) => block.type === "tool_use");
const results = blocks.filter((block) => block.type === "tool_result");
const reasonings = blocks.filter((block) => block.type === "reasoning");
const outputs = results.map((result) => String(result.content));
const outputOf = new Map(results.map((result) => [result.tool_use_id, String(result.content)]));

const encoding = get_encoding("o200k_base");
const countTokens = (text: string): number => encoding.encode_ordinary(text).length;

/** Every string inside a value, however deep. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The blocks of one kind in a message. */
function blocksOf({ content }: Message, type: KnownBlock["type"]): readonly KnownBlock[] {
  if (typeof content === "string") return type === "text" ? [{ type: "text", text: content }] : [];
  return content.filter(isKnownBlock).filter((block) => block.type === type);
}

/** Pictures and signatures are opaque: no counter reads them as text. */
function spoken(block: Block): unknown {
  if (!isKnownBlock(block)) return block;
  return block.type === "image" ? "" : block.type === "reasoning" ? block.text : block;
}

describe("the example session as a log", () => {
  test("is the same on every call", () => {
    expect(JSON.stringify(demoSession())).toBe(JSON.stringify(messages));
  });

  test("holds between 150,000 and 220,000 tokens in 120 to 250 messages", () => {
    const tokens = stringsIn(blocks.map(spoken)).map(countTokens);
    const total = tokens.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(150_000);
    expect(total).toBeLessThan(220_000);
    expect(messages.length).toBeGreaterThanOrEqual(120);
    expect(messages.length).toBeLessThanOrEqual(250);
  });

  test("would be accepted by every provider", () => {
    expect(validateView(messages)).toEqual([]);
    messages.forEach((message, index) => {
      expect(message.role).toBe(index % 2 === 0 ? "user" : "assistant");
    });
  });

  test("answers every call in the very next message, before any words of the person", () => {
    messages.forEach(({ content }, index) => {
      if (typeof content === "string") return;
      const asked = content.filter(isKnownBlock).filter((block) => block.type === "tool_use");
      const next = messages[index + 1]?.content ?? [];
      const answered = typeof next === "string" ? [] : next.slice(0, asked.length);
      expect(answered).toMatchObject(asked.map(({ id }) => ({ type: "tool_result", tool_use_id: id })));
    });
    expect(new Set(uses.map((use) => use.id)).size).toBe(uses.length);
    expect(results).toHaveLength(uses.length);
  });

  test("numbers its messages and lets time pass", () => {
    messages.forEach(({ id, ts = 0 }, index) => {
      expect(id).toBe(`m-${String(index + 1).padStart(3, "0")}`);
      if (index > 0) expect(ts).toBeGreaterThan(messages[index - 1]?.ts ?? ts);
    });
  });

  test("leaves no string empty", () => {
    const texts = stringsIn(messages.map(({ content }) => content));
    expect(texts.filter((text) => text.trim() === "")).toEqual([]);
  });
});

describe("the example session as a story", () => {
  test("begins with a goal and its constraints", () => {
    expect(messages[0]?.content).toMatch(/find the cause and fix it[\s\S]*\n- no new runtime dependencies/);
  });

  test("hears the person again, at turns of their own and while calls run", () => {
    const fromPerson = messages.filter((message) => message.role === "user" && blocksOf(message, "text").length > 0);
    const thrownIn = fromPerson.filter((message) => blocksOf(message, "tool_result").length > 0);
    expect(fromPerson.length).toBeGreaterThanOrEqual(10);
    expect(thrownIn.length).toBeGreaterThanOrEqual(3);
  });

  test("reasons under a signature of the provider", () => {
    expect(reasonings.length).toBeGreaterThanOrEqual(10);
    for (const reasoning of reasonings) expect(reasoning).toHaveProperty("signature", expect.stringMatching(/^.{96}$/));
  });

  test("calls many tools, often several at once", () => {
    const names = new Set(uses.map((use) => use.name));
    expect([...names].sort()).toEqual(["edit_file", "list_files", "read_file", "run_command", "search", "write_file"]);
    const parallel = messages.filter((message) => blocksOf(message, "tool_use").length > 1);
    expect(parallel.length).toBeGreaterThanOrEqual(20);
  });

  test("reads some files again unchanged, and some after an edit", () => {
    const reads = uses.filter((use) => use.name === "read_file");
    const paths = [...new Set(reads.map((use) => JSON.stringify(use.input)))];
    const texts = paths.map((path) =>
      reads.filter((use) => JSON.stringify(use.input) === path).map((use) => outputOf.get(use.id)),
    );
    const repeated = texts.filter((group) => new Set(group).size < group.length);
    const changed = texts.filter((group) => new Set(group).size > 1);
    expect(repeated.length).toBeGreaterThanOrEqual(5);
    expect(changed.length).toBeGreaterThanOrEqual(10);
  });

  test("fails exactly one call: an edit from memory", () => {
    // a second one means that an edit of the storyline no longer matches its file
    const failed = results.filter((result) => result.is_error === true);
    expect(failed.map((result) => result.content)).toEqual([expect.stringContaining("old_text was not found")]);
  });

  test("sees the tests fail, investigates, and sees them pass for good", () => {
    const runs = outputs.filter((output) => /^ Tests {2}/m.test(output));
    expect(runs.filter((run) => run.includes("failed")).length).toBeGreaterThanOrEqual(5);
    expect(runs[0]).toContain("4 failed");
    expect(runs.at(-1)).not.toContain("failed");
    expect(outputs.some((output) => /RangeError: .*\n {4}at .*\n {4}at /.test(output))).toBe(true);
  });
});

describe("the example session as a load", () => {
  test("holds one result larger than a 32k window", () => {
    expect(outputs.filter((output) => countTokens(output) >= 40_000)).toHaveLength(1);
  });

  test("holds test logs of hundreds of lines", () => {
    const logs = outputs.filter((output) => output.includes(" ✓ ") && output.split("\n").length > 250);
    expect(logs.length).toBeGreaterThanOrEqual(4);
  });

  test("holds a JSON answer and a minified script on one long line each", () => {
    const long = outputs.filter((output) => output.length > 10_000 && !output.includes("\n"));
    expect(long.map((output) => output.slice(0, 12))).toEqual(['{"station":"', "1:!function("]);
    expect(() => JSON.parse(long[0] ?? "")).not.toThrow();
  });

  test("holds an image, Japanese and Chinese on both sides, and joined emoji", () => {
    expect(blocks.filter((block) => block.type === "image")).toHaveLength(1);
    for (const role of ["user", "assistant"] as const) {
      const said = stringsIn(messages.filter((message) => message.role === role).map(({ content }) => content)).join(
        "\n",
      );
      expect(said).toMatch(/[ぁ-ん]/);
      expect(said).toMatch(/潮窗/);
    }
    expect(outputs.join("\n")).toMatch(/\p{Extended_Pictographic}\u200d\p{Extended_Pictographic}/u);
  });
});

describe("the planted facts", () => {
  test.each(demoFacts)("$question", ({ answer, messageId }) => {
    const places = messages.flatMap(({ id, content }) =>
      stringsIn(content).flatMap((text) =>
        text
          .split(answer)
          .slice(1)
          .map(() => id),
      ),
    );
    expect(places).toEqual([messageId]);
  });
});
