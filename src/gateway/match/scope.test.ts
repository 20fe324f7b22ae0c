import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import { branchId, isInScope, scopeOf as scopeIn } from "./scope.ts";

/** As on a wire whose bodies name sessions of this agent. */
const scopeOf = (headers: Readonly<Record<string, string>>, agentSession: string | undefined, bodyAgent?: string) =>
  scopeIn(headers, agentSession, {
    headers: WIRE_ADAPTERS.flatMap(({ sessions }) => sessions?.headers ?? []),
    bodyAgent,
  });

describe("whose session a request is of", () => {
  test("our own header comes before everything that agents say", () => {
    const headers = { "x-palimpsest-session": "mine", "x-claude-code-session-id": "abc", "thread-id": "t" };
    expect(scopeOf(headers, "key")).toEqual({ id: "mine" });
  });

  test.each([
    [{ "x-claude-code-session-id": "abc" }, undefined, "claude-code:abc"],
    [{ "session-id": "s", "thread-id": "t" }, "key", "codex:t"],
    [{ "session-id": "s" }, undefined, "codex:s"],
    [{ "x-session-id": "ses_1" }, undefined, "session:ses_1"],
    [{}, "key-1", "key:key-1"],
  ])("%j with %j in the body is %j", (headers, agentSession, id) => {
    expect(scopeOf(headers, agentSession)).toEqual({ id });
  });

  test("a sub-agent is one of the agent's session, and told apart", () => {
    const headers = { "x-claude-code-session-id": "abc", "x-claude-code-agent-id": "a1" };
    const id = "claude-code:abc/a1";
    const lineage = { ownName: id, parentName: "claude-code:abc" };
    expect(scopeOf(headers, "abc")).toEqual({ id, isSubAgent: true, lineage });
  });

  test.each([
    [{ "x-session-id": "ses_b", "x-parent-session-id": "ses_a" }, "session", "ses_a", "ses_b"],
    [{ "thread-id": "t2", "session-id": "s", "x-codex-parent-thread-id": "t1" }, "codex", "t1", "t2"],
  ])(
    "a sub-agent with a session of its own is one of the session that started it: %j",
    (headers, agent, parent, own) => {
      expect(scopeOf(headers, undefined)).toEqual({
        id: `${agent}:${parent}/${own}`,
        isSubAgent: true,
        lineage: { ownName: `${agent}:${own}`, parentName: `${agent}:${parent}` },
      });
    },
  );

  test("a session that names itself as its parent is no sub-agent", () => {
    expect(scopeOf({ "x-session-id": "ses_a", "x-parent-session-id": "ses_a" }, undefined)).toEqual({
      id: "session:ses_a",
    });
  });

  test("a body that names an agent's session says as much as that agent's header", () => {
    expect(scopeOf({}, "abc", "claude-code")).toEqual({ id: "claude-code:abc" });
  });

  test("says nothing where the request says nothing", () => {
    expect(scopeOf({ "user-agent": "x" }, undefined)).toBeUndefined();
    expect(scopeOf({ "x-palimpsest-session": "  " }, "")).toBeUndefined();
  });

  test("names that could break headers or terminals are made harmless", () => {
    expect(scopeOf({}, "run 🚀")).toEqual({ id: "key:run %F0%9F%9A%80" });
    expect(scopeOf({}, "half \ud83d")).toEqual({ id: "key:half %EF%BF%BD" });
    expect(scopeOf({ "x-palimpsest-session": `a\u001b[31m${"x".repeat(500)}` }, undefined)?.id).toMatch(
      /^a%1B\[31mx{192}$/,
    );
  });

  test("a scope has its own sessions and their branches, and no others", () => {
    const scope = { id: "codex:1" };
    expect(isInScope("codex:1", scope)).toBe(true);
    expect(isInScope(branchId(scope, "ab12"), scope)).toBe(true);
    expect(isInScope("codex:12", scope)).toBe(false);
    expect(isInScope(branchId(undefined, "ab12"), scope)).toBe(false);
    expect(isInScope("codex:1", undefined)).toBe(false);
    expect(isInScope("key:another-day", { id: "key:1" })).toBe(true);
    expect(isInScope(branchId(undefined, "ab12"), undefined)).toBe(true);
  });
});
