import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { untyped } from "../../../test/support/sessions.ts";
import { restoreAllMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Block, BlockFold, Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { addedFiles, type OffloadRule } from "./offload.ts";
import { truncateToFit } from "./truncate-to-fit.ts";

const RULE: OffloadRule = { minTokens: 2_000, pathOf: (name) => `/outputs/${name}` };

/** So many reads, the odd ones of 3,000 tokens, the even ones of 1,000. */
function reads(count: number): readonly Message[] {
  return log(
    user("Read them all."),
    ...Array.from({ length: count }, (_, index) => [
      assistant(call(`t${index}`, "read_file", { path: `src/${index}.ts` })),
      user(result(`t${index}`, `file ${index}:${" apple".repeat(index % 2 === 0 ? 1_000 : 3_000)}`)),
    ]).flat(),
  );
}

function foldsOf(messages: readonly Message[]): readonly BlockFold[] {
  return messages.flatMap(({ folds = [] }) => folds);
}

describe("a cleared result", () => {
  const messages = reads(6);
  const cleared = clearToolResults(messages, { keepNewest: 2, offload: RULE });

  test("names its file from the threshold on, and says all else that it says without", () => {
    const without = clearToolResults(messages, { keepNewest: 2 });
    const texts = (folded: readonly Message[]) => foldsOf(folded).map(({ standIn }) => Reflect.get(standIn, "content"));
    const names = foldsOf(cleared.messages).map(({ file }) => file);
    expect(names).toEqual([undefined, expect.stringMatching(/^t1-\w{14}\.txt$/), undefined, expect.any(String)]);
    expect(texts(cleared.messages)[1]).toBe(
      `[read_file src/1.ts: 3,009 tokens hidden in fold ${cleared.foldId}; whole output in /outputs/${names[1]}]`,
    );
    const withoutPaths = texts(cleared.messages).map((text) => String(text).replace(/; whole output in [^\]]+/, ""));
    expect(withoutPaths).toEqual(texts(without.messages));
  });

  test("leaves the log as it was, and gives the whole text for its file", () => {
    expect(restoreAllMessages(cleared.messages)).toEqual(messages);
    const files = addedFiles(messages, cleared.messages);
    expect(files.map(({ text }) => text.slice(0, 8))).toEqual(["file 1: ", "file 3: "]);
    expect(files[0]?.text).toBe(`file 1:${" apple".repeat(3_000)}`);
    expect(addedFiles(cleared.messages, cleared.messages)).toEqual([]);
  });

  test("has a path only where the rule gives one", () => {
    const none = clearToolResults(messages, { keepNewest: 2, offload: { ...RULE, pathOf: () => undefined } });
    expect(none).toEqual(clearToolResults(messages, { keepNewest: 2 }));
  });
});

describe("the name of a file", () => {
  const nameOf = (id: string, content: string | readonly Block[]) => {
    const long = { type: "tool_result", tool_use_id: id, content } as const;
    const messages = log(user("go"), assistant(call(id, "read_file", {})), user(long));
    const { messages: cleared } = clearToolResults(messages, { keepNewest: 0, offload: { ...RULE, minTokens: 1 } });
    return foldsOf(cleared)[0]?.file;
  };
  const text = " apple".repeat(3_000);

  test("is that of the call, safe for any file system, and another for another id or output", () => {
    const names = ["../../etc/passwd", "..\\..\\x", "a/b", "a_b", "A_b", "é\0\n", "x".repeat(500)].map((id) =>
      nameOf(id, text),
    );
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,40}-[a-z0-9]{14}\.txt$/);
    expect(new Set(names).size).toBe(names.length);
    expect(nameOf("a_b", `${text}.`)).not.toBe(nameOf("a_b", text));
    expect(nameOf("a_b", text)).toBe(nameOf("a_b", text));
  });

  test("is the same for a list of texts as for their lines, and there is none where a text cannot hold it all", () => {
    const lines = [text, "end"].map((line) => ({ type: "text", text: line }) as const);
    expect(nameOf("t", lines)).toBe(nameOf("t", `${text}\nend`));
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const;
    expect(nameOf("t", [...lines, image])).toBeUndefined();
  });
});

describe("a clipped result", () => {
  const messages = log(
    user("Search."),
    assistant(call("t0", "search", { query: "foo" })),
    user(result("t0", `first\n${"a line of the output\n".repeat(4_000)}last`)),
  );

  test("names its file between head and tail, within the budget", () => {
    const { messages: clipped, tokens } = truncateToFit(messages, { allowedTokens: 4_000, offload: RULE });
    const [fold] = foldsOf(clipped);
    const content = String(Reflect.get(fold?.standIn ?? {}, "content"));
    expect(content).toContain(`tokens hidden in fold ${fold?.foldId}; whole output in /outputs/${fold?.file}]`);
    expect([content.startsWith("first\n"), content.endsWith("last")]).toEqual([true, true]);
    expect(tokens).toBeLessThanOrEqual(4_000);
    expect(addedFiles(messages, clipped)).toEqual([
      { name: fold?.file, text: expect.stringMatching(/^first\n(a line of the output\n)+last$/) },
    ]);
  });

  test("leaves the path out where there is no room for it", () => {
    const far: OffloadRule = { ...RULE, pathOf: (name) => `/${"far/away/".repeat(60)}${name}` };
    const { type, messages: clipped } = truncateToFit(messages, { allowedTokens: 150, offload: far });
    expect(type).toBe("folded");
    expect(foldsOf(clipped).map(({ file }) => file)).toEqual([undefined]);
    expect(JSON.stringify(effectiveView(clipped))).not.toContain("whole output");
  });

  test("stays JSON where it was JSON, whatever is in the path", () => {
    const rows = JSON.stringify(Array.from({ length: 3_000 }, (_, index) => ({ index, name: `row ${index}` })));
    const table = log(user("Query."), assistant(call("t0", "query", {})), user(result("t0", rows)));
    const odd: OffloadRule = { ...RULE, pathOf: (name) => `C:\\out "put"\\${name}` };
    const { messages: clipped } = truncateToFit(table, { allowedTokens: 4_000, offload: odd });
    const content = String(Reflect.get(foldsOf(clipped)[0]?.standIn ?? {}, "content"));
    expect(JSON.stringify(JSON.parse(content))).toContain(JSON.stringify('C:\\out "put"\\').slice(1, -1));
    expect(countContentTokens(content)).toBeLessThanOrEqual(4_000);
  });
});

test("a rule that cannot be followed is refused by name", () => {
  const clear = (offload: unknown) => clearToolResults([], untyped({ offload }));
  expect(() => clear({ minTokens: Number.NaN, pathOf: 5 })).toThrow("offload.minTokens is NaN");
  expect(() => clear({ minTokens: 1 })).toThrow("offload.pathOf");
});
