import { describe, expect, test } from "vitest";
import { assistant, call, condense, log, result, user } from "../../../test/support/messages.ts";
import { restoreAllMessages, restoreMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { holdsPointer, resolvePointers } from "./pointers.ts";

const CONTENT = Array.from({ length: 40 }, (_, line) => `Article ${line}: lot ${line * 37}.`).join("\n");
const STUB = "[File charter.txt unchanged since last read in this session — see above.]";
const OPTIONS = { countTokens: countContentTokens, taskId: "task", mostTokens: 4_000 };

const read = (id: string, returned: string, input: object = { file_path: "/repo/charter.txt" }) => [
  assistant(call(id, "read_file", input)),
  user(result(id, returned)),
];
const LOG = log(
  user("Read it."),
  ...read("a", CONTENT),
  ...read("b", "other", { file_path: "/repo/b" }),
  ...read("c", STUB),
);
/** The reading of the charter is hidden. */
const FOLDED = condense(LOG, "s", ["m1", "m2", "m3", "m4"]);

function shown(messages: readonly Message[]): string {
  return JSON.stringify(effectiveView(messages));
}

describe("a pointer to what is hidden", () => {
  test("is shown as the content that it means, and restoring the fold shows it again", () => {
    const { messages, foldId = "" } = resolvePointers(FOLDED, OPTIONS);
    for (const line of CONTENT.split("\n")) expect(shown(messages)).toContain(line);
    expect(shown(messages)).not.toContain("unchanged since");
    expect(restoreMessages(messages, foldId)).toEqual(FOLDED);
    expect(restoreAllMessages(messages)).toEqual(LOG);
  });

  test("is resolved once: the same bytes from then on", () => {
    const { messages } = resolvePointers(FOLDED, OPTIONS);
    expect(resolvePointers(messages, OPTIONS).messages).toBe(messages);
  });

  test("is the newest one alone: older ones find it there", () => {
    const twice = [...FOLDED, ...log(...read("d", STUB)).map((message, index) => ({ ...message, id: `x${index}` }))];
    const view = shown(resolvePointers(twice, OPTIONS).messages);
    expect(view.split("Article 7: lot 259.")).toHaveLength(2);
    expect(view.lastIndexOf("Article 7")).toBeGreaterThan(view.lastIndexOf("unchanged since"));
  });

  test("is of another part of the file another pointer", () => {
    const range = { file_path: "/repo/charter.txt", offset: 10 };
    const ranged = condense(log(user("Read it."), ...read("a", CONTENT), ...read("c", STUB, range)), "s", ["m1", "m2"]);
    expect(resolvePointers(ranged, OPTIONS).foldId).toBeUndefined();
  });

  test.each([
    ["a relative path", { file_path: "repo/charter.txt" }],
    ["a path with dots", { file_path: "/repo/./docs/../charter.txt" }],
    ["a path with doubled slashes", { file_path: "//repo//charter.txt" }],
    ["backslashes", { file_path: "repo\\charter.txt" }],
    ["the first line, counted from 1", { file_path: "/repo/charter.txt", offset: 1 }],
    ["the first line, counted from 0, as a text", { file_path: "/repo/charter.txt", offset: "0", limit: null }],
  ])("is found by %s too", (_, input) => {
    const other = condense(log(user("Read it."), ...read("a", CONTENT), ...read("c", STUB, input)), "s", ["m1", "m2"]);
    expect(shown(resolvePointers(other, OPTIONS).messages)).toContain("Article 7: lot 259.");
  });

  test("with a relative path is left alone where that may name several files", () => {
    const both = condense(
      log(
        user("Read them."),
        ...read("a", CONTENT),
        ...read("b", "another charter", { file_path: "/old/charter.txt" }),
        ...read("c", STUB, { file_path: "charter.txt" }),
      ),
      "s",
      ["m1", "m2", "m3", "m4"],
    );
    expect(resolvePointers(both, OPTIONS).foldId).toBeUndefined();
  });

  test("is never shown as what another tool returned about the same file", () => {
    const search = [
      assistant(call("g", "grep", { path: "/repo/charter.txt", pattern: "lot" })),
      user(result("g", "7 matches")),
    ];
    const messages = log(user("Read it."), ...read("a", CONTENT), ...search, ...read("c", STUB));
    expect(shown(resolvePointers(condense(messages, "s", ["m1", "m2", "m3", "m4"]), OPTIONS).messages)).toContain(
      "Article 7: lot 259.",
    );
  });

  test("is clipped where what it means is larger than there is room for", () => {
    const { messages, foldId } = resolvePointers(FOLDED, { ...OPTIONS, mostTokens: 150 });
    expect(shown(messages)).toContain("Article 0: lot 0.");
    expect(shown(messages)).toContain("Article 39: lot 1443.");
    expect(shown(messages)).toContain(`by fold ${foldId}]`);
    // No tool that a model has restores a fold.
    expect(shown(messages)).not.toContain("restore");
  });
});

test("a pointer to what is visible stays as it is", () => {
  expect(resolvePointers(LOG, OPTIONS).messages).toBe(LOG);
});

test.each([
  ["Qwen Code", STUB, true],
  ["Claude Code", "File unchanged since last read. The earlier result is still current.", true],
  ["a file that speaks of such pointers", `1\\t${STUB}\n${"more ".repeat(400)}`, false],
  ["any other result", "unchanged", false],
])("%s is told from others by its beginning", (_, returned, isPointer) => {
  expect(read("a", returned).some(holdsPointer)).toBe(isPointer);
});
