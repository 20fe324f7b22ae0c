import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { identifierWeights } from "./identifier-weights.ts";
import { logBlocks } from "./log-blocks.ts";
import { spokenOf } from "./spoken-of.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

const between = Array.from({ length: 20 }, () => [assistant("going on"), user("yes")]).flat();

function weigh(...messages: readonly Message[]) {
  const said = log(...messages);
  const weights = identifierWeights(said, { spoken: spokenOf(logBlocks(said)), weights: LEDGER_WEIGHTS });
  return (identifier: string) => weights.get(identifier) ?? Number.NaN;
}

describe("the weight of an identifier", () => {
  test("is a chance", () => {
    const weight = weigh(user("see src/a.ts"), assistant("src/a.ts uses --force"));
    for (const identifier of ["src/a.ts", "--force"]) {
      expect(weight(identifier)).toBeGreaterThan(0);
      expect(weight(identifier)).toBeLessThan(1);
    }
  });

  test("falls with the replies since it was named", () => {
    const weight = weigh(user("see src/old.ts"), ...between, user("see src/new.ts"), assistant("ok"));
    expect(weight("src/new.ts")).toBeGreaterThan(weight("src/old.ts"));
  });

  test("is higher for what the agent or the user named than for what only a tool returned", () => {
    const weight = weigh(
      user("look at src/asked.ts"),
      assistant(call("c1", "Bash", { command: "grep -l x src/used.ts" })),
      user(result("c1", "src/shown.ts matches")),
    );
    expect(weight("src/used.ts")).toBeGreaterThan(weight("src/shown.ts"));
    expect(weight("src/asked.ts")).toBeGreaterThan(weight("src/shown.ts"));
  });

  test("grows with the number of messages that name it", () => {
    const thrice = [user("src/a.ts"), user("src/a.ts again"), user("and src/a.ts")];
    const weight = weigh(user("go"), ...thrice, user("src/b.ts"), user("go on"));
    expect(weight("src/a.ts")).toBeGreaterThan(weight("src/b.ts"));
  });
});
