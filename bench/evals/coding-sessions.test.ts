import { expect, test } from "vitest";
import { repositoryOf } from "./coding-sessions.ts";

test.each([
  [{ name: "codex/anna__tools__0198.jsonl", workingDirectory: "/home/anna/elsewhere" }, "anna/tools"],
  [{ name: "claude-code/anna__tools/claude/turn-2/a.jsonl" }, "anna/tools"],
  [{ name: "pi/session.jsonl", workingDirectory: "/home/anna/tools" }, "/home/anna/tools"],
  [{ name: "pi/session.jsonl" }, "pi/session.jsonl"],
])("the repository of %o is %s", (session, repository) => {
  expect(repositoryOf(session)).toBe(repository);
});
