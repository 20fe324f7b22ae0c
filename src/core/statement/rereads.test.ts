import { expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { compact } from "../condense/ledger/compact.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { findHiddenResults, takeRereads } from "./rereads.ts";

const count = countContentTokens;
const TEXT = "a line of the file\n".repeat(400);

function read(id: string, path: string, input: object = {}): readonly Message[] {
  return [assistant(call(id, "Read", { file_path: path, ...input })), user(result(id, TEXT))];
}

const FOLDED = compact(
  log(
    user("Look around."),
    ...read("a", "/x/a.ts"),
    ...read("b", "/x/b.ts"),
    assistant(call("c", "Bash", { command: "make test" })),
    user(result("c", TEXT)),
    ...read("d", "/x/d.ts"),
    user("Go on."),
  ),
  4_000,
).messages;

test("a file that is read again after a fold has hidden it counts with its tokens, once", () => {
  const hidden = findHiddenResults(FOLDED);
  const again = read("e", "/x/a.ts", { offset: 10 });
  const tokens = takeRereads(again, hidden, count);
  expect(tokens).toBeGreaterThan(1_000);
  expect(takeRereads(again, hidden, count)).toBe(0);
});

test("the same call counts, another one and a file that is still visible do not", () => {
  const hidden = findHiddenResults(FOLDED);
  const run = (command: string) => [assistant(call("f", "Bash", { command })), user(result("f", TEXT))];
  expect(takeRereads(run("make all"), hidden, count)).toBe(0);
  expect(takeRereads(run("make test"), hidden, count)).toBeGreaterThan(1_000);
  expect(takeRereads(read("g", "/x/new.ts"), hidden, count)).toBe(0);
  expect(findHiddenResults(log(user("Look."), ...read("a", "/x/a.ts"))).size).toBe(0);
});
