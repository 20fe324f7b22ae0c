import { describe, expect, test } from "vitest";
import { assistant, call, result, talk, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { BASELINE_STRATEGIES } from "./baseline-strategies.ts";
import { countViewTokens, renderView } from "./view/render-view.ts";

function compact(name: string, messages: readonly Message[], budgetTokens: number): string {
  const strategy = BASELINE_STRATEGIES.find((each) => each.name === name);
  if (strategy === undefined) throw new Error(`no baseline ${name}`);
  return renderView(strategy.compact(messages, budgetTokens));
}

const LOGS: Readonly<Record<string, readonly Message[]>> = {
  "a long talk": talk(400),
  "one huge line": [user("x y ".repeat(20_000)), assistant("ok")],
  "a huge first and last message": [user("word\n".repeat(5_000)), assistant("ok"), user("other words\n".repeat(5_000))],
  "blank lines": [user(" \n".repeat(5_000)), assistant("}\n\n\n  }".repeat(2_000))],
  "nothing but tool results": Array.from({ length: 60 }, (_, index) =>
    user(result(`c${index}`, "src/a.ts ".repeat(90))),
  ),
  "no message": [],
};

describe.each(BASELINE_STRATEGIES)("$name", ({ compact: run }) => {
  test.each(Object.keys(LOGS))("never exceeds the budget on %s", (name) => {
    for (const budgetTokens of [1, 100, 1_000]) {
      expect(countViewTokens(run(LOGS[name] ?? [], budgetTokens))).toBeLessThanOrEqual(budgetTokens);
    }
  });

  test("is deterministic", () => {
    const messages = talk(300);
    expect(run(messages, 300)).toEqual(run(messages, 300));
  });
});

describe("what baselines keep", () => {
  test("keep-last: the newest lines, and the end of one that is too long", () => {
    const view = compact("keep-last", talk(400), 100);
    expect(view.endsWith("[user]\nask 398\n[assistant]\nreply 399")).toBe(true);
    expect(view).not.toContain("ask 0\n");
    expect(compact("keep-last", [user(`${"old ".repeat(500)}new end`)], 50).endsWith("new end")).toBe(true);
  });

  test("first + last: the first message too", () => {
    expect(compact("first + last", talk(400), 100)).toMatch(/^\[user\]\nask 0\n.*reply 399$/s);
  });

  test("50 % truncation: the first message and a newest half, quarter or eighth of the rest", () => {
    const view = compact("50 % truncation", talk(9), 20);
    expect(view).toBe("[user]\nask 0\n[assistant]\nreply 5\n[user]\nask 6\n[assistant]\nreply 7\n[user]\nask 8");
  });

  test("masking: the last ten results, stubs for the others", () => {
    const turns = Array.from({ length: 12 }, (_, index) => [
      assistant(call(`c${index}`, "Read", { path: `f${index}.ts` })),
      user(result(`c${index}`, `content ${index}`)),
    ]).flat();
    const view = compact("masking", turns, 2_000);
    expect(view).not.toMatch(/content [01]\n/);
    expect(view).toContain("content 2\n");
    expect(view).toContain("path: f0.ts");
  });

  test("BM25 + tail: what the latest words are about, from far back", () => {
    const messages = [
      user("The database password rotates on Tuesdays."),
      ...talk(400),
      user("When is the rotation of the database password?"),
    ];
    expect(compact("BM25 + tail", messages, 300)).toContain("rotates on Tuesdays");
  });

  test("identifier list: names and nothing else", () => {
    const messages = [user("open src/a.ts"), assistant("src/b.ts calls openStore() in src/b.ts")];
    expect(compact("identifier list", messages, 100).split(", ").sort()).toEqual(["openStore", "src/a.ts", "src/b.ts"]);
  });
});
