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
    const ratio = (said: string) => {
      const odds = oddsIn(log(user("go"), ...reads, assistant(said)));
      return odds("const one3 = step;") / odds("const other3 = step;");
    };
    expect(ratio("Next is src/one.ts.")).toBeGreaterThan(2 * ratio("Next is something else."));
    expect(ratio("Next is src/one.ts.")).toBeGreaterThan(1);
  });

  test("those of a file in the newest request or in the plan", () => {
    const reads = [...read("one.ts", body("one")), ...read("other.ts", body("other"))];
    const planned = (step: string) => [
      assistant(call("p", "TodoWrite", { todos: [{ content: step }] })),
      user(result("p", "ok")),
    ];
    const ratio = (step: string, asked: string) => {
      const odds = oddsIn(log(user("go"), ...reads, ...planned(step), user(asked)));
      return odds("const one3 = step;") / odds("const other3 = step;");
    };
    const neither = ratio("then rest", "go on");
    expect(ratio("then one.ts", "go on")).toBeGreaterThan(2 * neither);
    expect(ratio("then rest", "look at one.ts first")).toBeCloseTo(ratio("then one.ts", "go on"));
  });

  test("those that were shown lately", () => {
    const odds = oddsIn(log(user("go"), ...read("one.ts", body("one")), ...read("other.ts", body("other"))));
    expect(odds("const other3 = step;")).toBeGreaterThan(odds("const one3 = step;"));
  });

  test("those of a file before what a command printed", () => {
    const search = { command: "rg -n step" };
    const printed = [assistant(call("s", "Bash", search)), user(result("s", body("found").join("\n")))];
    const ratio = (...shown: readonly Message[]) => {
      const odds = oddsIn(log(user("go"), ...shown));
      return odds("const one3 = step;") / odds("const found3 = step;");
    };
    const file = read("one.ts", body("one"));
    // In either order, so that age takes no part.
    expect(ratio(...file, ...printed) * ratio(...printed, ...file)).toBeGreaterThan(2);
  });

  test("of what a command printed, only what it printed last", () => {
    const run = (id: string, printed: string) => [
      assistant(call(id, "Bash", { command: "make check" })),
      user(result(id, printed)),
    ];
    const odds = oddsIn(log(user("go"), ...run("1", "const first = step;"), ...run("2", "const second = step;")));
    expect(odds("const first = step;")).toBeNaN();
    expect(odds("const second = step;")).toBeGreaterThan(0);
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

  test("those around names that are made of spoken words", () => {
    const lines = body("line");
    lines[10] = "loadSecrets(first);";
    const odds = oddsIn(log(user("go"), ...read("a.ts", lines), assistant("Where do we load the secrets?")));
    expect(odds("const line11 = step;")).toBeGreaterThan(odds("const line20 = step;"));
  });

  test("those around earlier edits", () => {
    const edit = { file_path: "a.ts", old_string: "const line20 = step;", new_string: "const line20 = stride;" };
    const edited = [assistant(call("e", "Edit", edit)), user(result("e", "done"))];
    const odds = oddsIn(log(user("go"), ...read("a.ts", body("line", 80)), ...edited));
    expect(odds("const line21 = step;")).toBeGreaterThan(odds("const line40 = step;"));
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
