import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { editOdds } from "./edit-odds.ts";
import { logBlocks } from "./log-blocks.ts";

function read(path: string, lines: readonly string[]): readonly Message[] {
  return [assistant(call(`read ${path}`, "Read", { file_path: path })), user(result(`read ${path}`, lines.join("\n")))];
}

const body = (name: string, lines = 40) => Array.from({ length: lines }, (_, index) => `const ${name}${index} = step;`);

/** The odds of each line, by its text. */
function oddsIn(messages: readonly Message[]): (line: string) => number {
  const odds = new Map(editOdds(logBlocks(messages)).map((each) => [each.line.text, each.odds]));
  return (line) => odds.get(line) ?? Number.NaN;
}

describe("which lines the next edits replace", () => {
  test("those of a file that is spoken of, by whatever path", () => {
    const reads = [...read("/home/ada/src/one.ts", body("one")), ...read("/home/ada/src/other.ts", body("other"))];
    const odds = oddsIn(log(user("go"), ...reads, assistant("Next is src/one.ts.")));
    expect(odds("const one3 = step;")).toBeGreaterThan(2 * odds("const other3 = step;"));
  });

  test("those of a file in the newest request or in the plan", () => {
    const reads = [
      ...read("one.ts", body("one")),
      ...read("other.ts", body("other")),
      ...read("third.ts", body("third")),
    ];
    const plan = [
      assistant(call("p", "TodoWrite", { todos: [{ content: "then third.ts" }] })),
      user(result("p", "ok")),
    ];
    const odds = oddsIn(log(user("go"), ...reads, ...plan, user("look at other.ts first")));
    expect(odds("const other3 = step;")).toBeGreaterThan(2 * odds("const one3 = step;"));
    expect(odds("const third3 = step;")).toBe(odds("const other3 = step;"));
  });

  test("those around names that are spoken of, more where several gather", () => {
    const lines = body("line");
    lines[10] = "loadSecrets(first);";
    lines[30] = "loadSecrets(second);";
    lines[31] = "storeSecrets(second);";
    const said = assistant("loadSecrets() and storeSecrets() need the key.");
    const odds = oddsIn(log(user("go"), ...read("a.ts", lines), said));
    expect(odds("const line11 = step;")).toBeGreaterThan(odds("const line14 = step;"));
    expect(odds("const line14 = step;")).toBeGreaterThan(odds("const line20 = step;"));
    expect(odds("const line32 = step;")).toBeGreaterThan(odds("const line11 = step;"));
  });

  test("those around earlier edits", () => {
    const edit = { file_path: "a.ts", old_string: "const line20 = step;", new_string: "const line20 = stride;" };
    const edited = [assistant(call("e", "Edit", edit)), user(result("e", "done"))];
    const odds = oddsIn(log(user("go"), ...read("a.ts", body("line")), ...edited));
    expect(odds("const line21 = step;")).toBeGreaterThan(odds("const line30 = step;"));
    expect(odds("const line20 = step;")).toBeNaN();
  });

  test("those of a short piece before those of a whole file", () => {
    const odds = oddsIn(log(user("go"), ...read("a.ts", body("piece", 5)), ...read("b.ts", body("whole", 500))));
    expect(odds("const piece3 = step;")).toBeGreaterThan(odds("const whole3 = step;"));
  });

  test("nothing where no file was shown", () => {
    expect(editOdds(logBlocks(log(user("go to src/a.ts"), assistant("done"))))).toEqual([]);
  });
});
