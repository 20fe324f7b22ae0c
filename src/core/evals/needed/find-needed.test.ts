import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { findNeeded } from "./find-needed.ts";

const NOTHING: ReadonlySet<string> = new Set();

function needed(before: readonly Message[], after: readonly Message[], common = NOTHING): readonly string[] {
  const messages = [...before, ...after];
  const boundary = { index: before.length, horizonEnd: messages.length, tokens: 0 };
  return findNeeded({ name: "s", messages, compactions: [] }, boundary, common).map(({ value }) => value);
}

const SEEN = [user("See src/store.ts and openStore() at port 8443, flag --dry-run, commit 3f2a9bc.")];

describe("what the agent needed", () => {
  test("is what it names again by itself, in words or in a call, in the order of use", () => {
    const after = [assistant("Now --dry-run.", call("c1", "Bash", { command: "git show 3f2a9bc -- src/store.ts" }))];
    expect(needed(SEEN, after)).toEqual(["--dry-run", "3f2a9bc", "src/store.ts"]);
  });

  test("is not what a tool or the user said first", () => {
    const after = [
      assistant(call("c1", "Bash", { command: "ls" })),
      user(result("c1", "src/store.ts")),
      user("the port is 8443"),
      assistant("src/store.ts uses 8443 in openStore()"),
    ];
    expect(needed(SEEN, after)).toEqual(["openStore"]);
  });

  test("is not what was never seen before, nor what most sessions have", () => {
    expect(needed(SEEN, [assistant("src/fresh.ts, src/store.ts, --dry-run")], new Set(["--dry-run"]))).toEqual([
      "src/store.ts",
    ]);
  });

  test("is neither used nor repeated by a thought", () => {
    const thought = { type: "reasoning", text: "src/store.ts" } as const;
    expect(needed(SEEN, [assistant(thought)])).toEqual([]);
    expect(needed(SEEN, [assistant(thought, "open src/store.ts")])).toEqual(["src/store.ts"]);
  });

  test("is no short number, no version and no name of an argument", () => {
    const before = [user("issue #12, port 443, release 1.2.3, field file_path, year 2026")];
    const after = [assistant("#12 443 1.2.3 2026", call("c1", "Read", { file_path: "x" }))];
    expect(needed(before, after)).toEqual(["2026"]);
  });

  test("is nothing beyond the horizon", () => {
    const messages = [...SEEN, assistant("yes"), user("go"), assistant("src/store.ts")];
    const boundary = { index: 1, horizonEnd: 3, tokens: 0 };
    expect(findNeeded({ name: "s", messages, compactions: [] }, boundary, NOTHING)).toEqual([]);
  });
});

describe("the query for a needed identifier", () => {
  function queryFor(...messages: readonly Message[]): string | undefined {
    const boundary = { index: 1, horizonEnd: messages.length + 1, tokens: 0 };
    const session = { name: "s", messages: [...SEEN, ...messages], compactions: [] };
    return findNeeded(session, boundary, NOTHING).find(({ value }) => value === "src/store.ts")?.query;
  }

  test("is what the agent said before it in the same message, without the identifier", () => {
    expect(queryFor(assistant("I open the store:", call("c1", "Read", { path: "src/store.ts" })))).toBe(
      "I open the store:",
    );
    expect(queryFor(assistant("The store lies in src/store.ts, I think"))).toBe("The store lies in");
  });

  test("is what the agent said last where the message holds no words before it", () => {
    expect(
      queryFor(
        assistant("First the tests.", call("c1", "Bash", { command: "npm test" })),
        user(result("c1", "ok")),
        assistant(call("c2", "Read", { path: "src/store.ts" })),
      ),
    ).toBe("First the tests.");
  });

  test("is empty where the agent never said a word", () => {
    expect(queryFor(assistant(call("c2", "Read", { path: "src/store.ts" })))).toBe("");
  });
});
