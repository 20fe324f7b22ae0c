import { describe, expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import { assistant, call, chat, result, user } from "../../../test/support/messages.ts";
import type { Message } from "./message.ts";
import { detectUnits } from "./units.ts";

/** Units as "start-end", both inclusive. */
function outline(messages: readonly Message[]): string {
  return detectUnits(messages)
    .map(({ start, end }) => (end - start === 1 ? `${start}` : `${start}-${end - 1}`))
    .join(" ");
}

describe("detectUnits", () => {
  test.each<[string, readonly Message[], string]>([
    ["nothing out of nothing", [], ""],
    ["single messages out of plain talk", chat(3), "0 1 2"],
    ["a call with its result", [user("go"), assistant(call("a")), user(result("a")), assistant("ok")], "0 1-2 3"],
    [
      "parallel calls with all of their results",
      [assistant(call("a"), call("b")), user(result("b")), user(result("a")), assistant("ok")],
      "0-2 3",
    ],
    [
      "nothing of a call and a result that came after the model had gone on",
      [assistant(call("a")), user("and?"), assistant("wait"), user(result("a")), user("ok")],
      "0 1 2 3 4",
    ],
    [
      "interleaved pairs as one",
      [assistant(call("a")), assistant(call("b")), user(result("a")), user("hm"), user(result("b")), user("ok")],
      "0-4 5",
    ],
    [
      "neighbouring pairs apart",
      [assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))],
      "0-1 2-3",
    ],
    [
      "a pair inside another",
      [assistant(call("a")), assistant(call("b")), user(result("b")), user(result("a")), user("ok")],
      "0-3 4",
    ],
    ["an orphan result alone", [user("go"), user(result("a")), assistant("ok")], "0 1 2"],
    ["an interrupted call alone", [user("go"), assistant(call("a")), user("stop"), assistant("ok")], "0 1 2 3"],
    ["a running call alone at the end", [user("go"), assistant(call("a"))], "0 1"],
    [
      "a running call with all that came after it, since its result is still to come",
      [user("go"), assistant(call("a"), call("b")), user(result("a")), user("meanwhile")],
      "0 1-3",
    ],
    [
      "a running call with the rest of its turn",
      [user("go"), assistant(call("a")), assistant("calling"), user("meanwhile")],
      "0 1-3",
    ],
  ])("makes %s", (_, messages, expected) => {
    expect(outline(messages)).toBe(expected);
  });

  // Anything that looks at all messages for each message would run for minutes.
  const count = sized({ full: 200_000, short: 40_000 });
  test(`makes one unit of ${count} interleaved calls and results, and as many as there are messages of talk`, () => {
    const calls = Array.from({ length: count / 2 }, (_, index) => assistant(call(`t${index}`)));
    const results = calls.map((_, index) => user(result(`t${index}`)));
    expect(detectUnits([...calls, ...results])).toEqual([{ start: 0, end: count }]);
    const units = detectUnits(chat(count));
    expect(units).toHaveLength(count);
    expect(units.at(-1)).toEqual({ start: count - 1, end: count });
  });
});
