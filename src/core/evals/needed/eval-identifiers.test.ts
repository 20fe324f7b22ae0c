import { expect, test } from "vitest";
import { user } from "../../../../test/support/messages.ts";
import { findCommonIdentifiers } from "./eval-identifiers.ts";

const sessions = (...texts: readonly string[]) =>
  texts.map((text) => ({ name: text, messages: [user(text)], compactions: [] }));

test("finds what more than half of the sessions name, however often each does", () => {
  const common = findCommonIdentifiers(
    sessions("README.md --stat", "README.md", "README.md --stat", "src/a.ts src/a.ts", "src/a.ts"),
  );
  expect([...common]).toEqual(["README.md"]);
});

test("finds none among a few sessions", () => {
  expect(findCommonIdentifiers(sessions("README.md", "README.md"))).toEqual(new Set());
  expect(findCommonIdentifiers([])).toEqual(new Set());
});
