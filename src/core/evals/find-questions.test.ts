import { expect, test } from "vitest";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import type { EvalSession } from "./eval-types.ts";
import { findQuestions } from "./find-questions.ts";

/** 40 model calls: a file is read in the first one, and edited in the last. */
function session(): EvalSession {
  const turns = Array.from({ length: 40 }, (_, turn): readonly Message[] => {
    if (turn === 0) return [assistant(call("r", "Read", { path: "lib/z.ts" })), user(result("r", "let zeta = 1;"))];
    if (turn < 39) return [assistant(`step ${turn}`), user("and so on, for a while")];
    return [
      assistant(call("e", "Edit", { path: "lib/z.ts", old_string: "let zeta = 1;", new_string: "let zeta = 2;" })),
    ];
  });
  return { name: "s", messages: [user("Mend lib/z.ts."), ...turns.flat()], compactions: [] };
}

test("questions are what was used after each boundary without being told again", () => {
  const found = findQuestions([session()]);
  expect(found).toHaveLength(3);
  for (const { identifiers, editLines, index, logTokens } of found) {
    expect([...identifiers]).toEqual(["lib/z.ts"]);
    expect([...editLines]).toEqual(["let zeta = 1;"]);
    expect(index).toBeLessThan(session().messages.length);
    expect(logTokens).toBeGreaterThan(0);
  }
});

test("questions are none of boundaries with a shorter log, and a bad limit is refused", () => {
  const longest = Math.max(...findQuestions([session()]).map(({ logTokens }) => logTokens));
  expect(findQuestions([session()], { leastLogTokens: longest })).toHaveLength(1);
  expect(() => findQuestions([], { leastLogTokens: -1 })).toThrow(/options.leastLogTokens is -1/);
});
