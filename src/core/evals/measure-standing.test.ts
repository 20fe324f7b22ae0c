import { expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { measureStanding } from "./measure-standing.ts";

const RULES = "<system-reminder>\nInstructions from: /repo/AGENTS.md\nNo tabs.\n</system-reminder>";

test("counts what binds by kind, and of a result only the part that does", () => {
  const returned = `${"a line of the file\n".repeat(200)}\n${RULES}`;
  const cost = measureStanding(
    log(user("Build it."), assistant(call("a")), user(result("a", returned)), assistant("ok")),
  );
  expect(cost.byKind).toEqual({ request: countContentTokens("Build it."), instructions: countContentTokens(RULES) });
  expect(cost.tokens).toBeLessThan(cost.logTokens / 10);
});

test("counts a block that binds twice once", () => {
  const words = "Never touch lantern.txt.";
  expect(measureStanding([{ role: "user", content: words }]).tokens).toBe(countContentTokens(words));
});
