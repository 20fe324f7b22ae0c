import { describe, expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import { restoreMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { isReadingTool } from "./dedupe-key.ts";
import { dedupeToolResults } from "./dedupe-tool-results.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);
const options = { countTokens, taskId: "task", minGainTokens: 1 };
const version = (name: string) => `${name} of the file\n`.repeat(40);

interface Exchange {
  readonly name?: string;
  readonly input?: unknown;
  readonly text: string;
  readonly isError?: boolean;
  readonly important?: boolean;
}

function logOf(exchanges: readonly Exchange[]): readonly Message[] {
  return exchanges.flatMap(({ name = "read_file", input = { path: "a.ts" }, text, isError, important }, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name, input }] } as const,
    {
      role: "user",
      id: `m${index}`,
      ...(important === undefined ? {} : { important }),
      content: [
        {
          type: "tool_result",
          tool_use_id: `t${index}`,
          content: text,
          ...(isError === undefined ? {} : { is_error: isError }),
        },
      ],
    } as const,
  ]);
}

/** What the view shows of each result: its text, or the stand-in without the fold id. */
function shown(messages: readonly Message[]): readonly unknown[] {
  return effectiveView(messages)
    .flatMap((message) => (typeof message.content === "string" ? [] : message.content))
    .flatMap((block) => ("tool_use_id" in block && "content" in block ? [block.content] : []))
    .map((content) => String(content).replace(/: [\d,]+ tokens hidden in fold dedupe-\w{7}\]$/, "]"));
}

describe("dedupeToolResults", () => {
  test("points repeated results to the newest copy", () => {
    const log = logOf([
      { text: version("one") },
      { name: "bash", input: { command: "cat a.ts" }, text: version("one") },
      { text: version("one") },
    ]);
    const deduped = dedupeToolResults(log, options);
    expect(deduped.blocks).toBe(2);
    expect(shown(deduped.messages)).toEqual([
      "[read_file a.ts, repeated in message m2]",
      "[bash cat a.ts, repeated in message m2]",
      version("one"),
    ]);
    expect(restoreMessages(deduped.messages, deduped.foldId ?? "")).toEqual(log);
  });

  test("points an older version of the same read to the newest one", () => {
    const log = logOf([{ text: version("old") }, { text: version("old") }, { text: version("new") }]);
    expect(shown(dedupeToolResults(log, options).messages)).toEqual([
      "[read_file a.ts, older version, newest in message m2]",
      "[read_file a.ts, older version, newest in message m2]",
      version("new"),
    ]);
  });

  test("compares the input of calls without regard to the order of keys", () => {
    const log = logOf([
      { input: { path: "a.ts", range: { from: 1, to: 9 } }, text: version("old") },
      { input: { range: { to: 9, from: 1 }, path: "a.ts" }, text: version("new") },
      { input: { path: "a.ts", range: { from: 2, to: 9 } }, text: version("other") },
    ]);
    expect(shown(dedupeToolResults(log, options).messages).map((text) => String(text).slice(0, 5))).toEqual([
      "[read",
      "new o",
      "other",
    ]);
  });

  test("never points to a pointer", () => {
    const log = logOf([
      { text: version("old") },
      { text: version("new") },
      { name: "bash", input: { command: "cat a.ts" }, text: version("new") },
    ]);
    expect(shown(dedupeToolResults(log, options).messages)).toEqual([
      "[read_file a.ts, older version, newest in message m2]",
      "[read_file a.ts, repeated in message m2]",
      version("new"),
    ]);
  });

  test("keeps a text visible once when its only other copy is an older version", () => {
    const log = logOf([
      { name: "bash", input: { command: "cat a.ts" }, text: version("old") },
      { text: version("old") },
      { text: version("new") },
    ]);
    expect(shown(dedupeToolResults(log, options).messages)).toEqual([
      version("old"),
      "[read_file a.ts, older version, newest in message m2]",
      version("new"),
    ]);
  });

  test("takes only reading tools for versions of one thing", () => {
    const log = logOf([
      { name: "bash", text: version("first") },
      { name: "bash", text: version("second") },
    ]);
    expect(dedupeToolResults(log, options)).toEqual({ messages: log, blocks: 0, gainTokens: 0 });
    expect(dedupeToolResults(log, { ...options, isReading: (name) => name === "bash" }).blocks).toBe(1);
  });

  test("does not take a note that nothing changed for a new version", () => {
    const log = logOf([{ text: version("one") }, { text: "File unchanged since it was last read." }]);
    expect(dedupeToolResults(log, options).messages).toBe(log);
  });

  test("keeps successes and errors apart", () => {
    const same = version("one");
    expect(dedupeToolResults(logOf([{ text: same }, { text: same, isError: true }]), options).blocks).toBe(0);
    expect(dedupeToolResults(logOf([{ text: same, isError: true }, { text: same }]), options).blocks).toBe(0);
    const errors = logOf([
      { text: same, isError: true },
      { text: same, isError: true },
      { text: version("other"), isError: true },
    ]);
    expect(dedupeToolResults(errors, options).blocks).toBe(1);
  });

  test("leaves important messages, small results and small gains alone", () => {
    const important = logOf([{ text: version("one"), important: true }, { text: version("one") }]);
    expect(dedupeToolResults(important, options).blocks).toBe(0);
    const small = logOf([{ text: "tiny" }, { text: "tiny" }]);
    expect(dedupeToolResults(small, options).blocks).toBe(0);
    const gain = logOf([{ text: version("one") }, { text: version("one") }]);
    expect(dedupeToolResults(gain, { countTokens }).messages).toBe(gain);
  });

  test("points to a copy that is itself whole", () => {
    const log = logOf([{ text: version("one") }, { text: version("one") }, { text: version("one") }]);
    const folded = log.map((message, index) =>
      index === 5
        ? {
            ...message,
            folds: [
              {
                foldId: "c",
                kind: "clear",
                blockIndex: 0,
                standIn: { type: "text", text: "-" },
                hiddenTokens: 1,
              } as const,
            ],
          }
        : message,
    );
    expect(dedupeToolResults(folded, options).messages[3]).toBe(folded[3]);
    expect(shown(dedupeToolResults(folded, options).messages)[0]).toBe("[read_file a.ts, repeated in message m1]");
  });

  test("names the call where the message has no id", () => {
    const log = logOf([{ text: version("one") }, { text: version("one") }]).map(({ id: _, ...message }) => message);
    expect(shown(dedupeToolResults(log, options).messages)[0]).toBe("[read_file a.ts, repeated in call t1]");
  });

  test("compares contents of several items as a whole", () => {
    const items = [
      { type: "text", text: version("one") },
      { type: "image", source: { type: "url", url: "u" } },
    ] as const;
    const result = (id: string, content: readonly (typeof items)[number][]): Message => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content }],
    });
    const log = [result("a", items), result("b", items.slice(0, 1)), result("c", [...items])];
    expect(dedupeToolResults(log, options).messages.map((message) => message.folds?.length ?? 0)).toEqual([1, 0, 0]);
  });

  // Comparing the texts with each other would run for minutes.
  const count = sized({ full: 8_000, short: 1_000 });
  test(`tells ${count} results of one length with one long beginning apart`, () => {
    const beginning = "x".repeat(20_000);
    const texts = Array.from({ length: count }, (_, index) => beginning + (10_000 + index));
    const log = logOf([...texts, beginning + 10_003].map((text) => ({ name: "bash", text })));
    const { messages, blocks } = dedupeToolResults(log, { countTokens: ([block]) => JSON.stringify(block).length });
    expect(blocks).toBe(1);
    expect(messages.findIndex((message) => message.folds !== undefined)).toBe(2 * 3 + 1);
  });
});

test.each(["read_file", "Read", "readFile", "view", "cat", "ls", "list_files", "mcp__files__read_text_file", "Grep"])(
  "%s is a reading tool",
  (name) => expect(isReadingTool(name)).toBe(true),
);

test.each(["write_file", "bash", "edit", "apply_diff", "execute_command", ""])("%s is not a reading tool", (name) =>
  expect(isReadingTool(name)).toBe(false),
);
