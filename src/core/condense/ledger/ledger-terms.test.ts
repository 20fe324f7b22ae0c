import { expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import { ledgerTerms } from "./ledger-terms.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

const read = [
  assistant(call("r", "Read", { file_path: "src/berth.ts" })),
  user(result("r", "const first = mooring;\nconst second = mooring;")),
];
const said = log(user("Why does src/berth.ts fail?"), ...read, assistant("It is openHarbour()."), user("Go on."));

test("the terms of a log are those that have weights", () => {
  const { identifiers, lines } = ledgerTerms(said);
  expect(Object.keys(identifiers[0]?.terms ?? {}).toSorted()).toEqual(
    Object.keys(LEDGER_WEIGHTS.identifiers).toSorted(),
  );
  expect(Object.keys(lines[0]?.terms ?? {}).toSorted()).toEqual(Object.keys(LEDGER_WEIGHTS.edits).toSorted());
});

test("the terms tell who named an identifier, and which lines a file holds", () => {
  const { identifiers, lines } = ledgerTerms(said);
  const termsOf = (name: string) => identifiers.find(({ identifier }) => identifier === name)?.terms;
  expect(termsOf("src/berth.ts")).toMatchObject({ isNamedByUser: 1, isAsked: 1, isWritten: 0 });
  expect(termsOf("openHarbour")).toMatchObject({ isNamedByUser: 0, isAsked: 0, isSpoken: 1 });
  expect(lines.map(({ line }) => line)).toEqual(["const first = mooring;", "const second = mooring;"]);
  expect(lines[0]?.terms).toMatchObject({ isOpen: 0, isOutput: 0, isHead: 1, isTail: 1 });
});

test("lines that the view shows beside the ledger are left out", () => {
  expect(ledgerTerms(said, { visible: [user("const first = mooring;")] }).lines.map(({ line }) => line)).toEqual([
    "const second = mooring;",
  ]);
});

test("what is no list of messages is refused", () => {
  // @ts-expect-error: a caller without types
  expect(() => ledgerTerms(said, { visible: 5 })).toThrow(/messages/);
});
