import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { assistant, call, deepFreeze, result, tag, user } from "../../../test/support/messages.ts";
import type { Message, ToolResultBlock } from "../message/message.ts";
import { criticalFacts, MAX_CRITICAL_FACTS } from "./critical-facts.ts";

const failed = (id: string, content: string): ToolResultBlock => ({ ...result(id, content), is_error: true });

function sourcesOf(hidden: readonly Message[], kept: readonly Message[] = []): Record<string, readonly string[]> {
  const facts = criticalFacts(deepFreeze(hidden), kept);
  return Object.fromEntries(facts.map(({ value, sources }) => [value, sources]));
}

describe("critical facts come from", () => {
  test("what the user demands, and with less weight from what else the user says", () => {
    const facts = criticalFacts([user("Have a look at cache.ts.\nNever touch legacy.ts!")], []);
    expect(facts).toEqual([
      { kind: "path", value: "legacy.ts", weight: 4, sources: ["constraint", "request"] },
      { kind: "path", value: "cache.ts", weight: 1, sources: ["request"] },
    ]);
  });

  test.each([
    ["please don’t change foo_bar"],
    ["foo_bar darf nicht geändert werden"],
    ["ne touche jamais à foo_bar"],
    ["nunca cambies foo_bar"],
    ["никогда не меняй foo_bar"],
    ["不要修改foo_bar"],
    ["foo_barは絶対に変更しないで"],
    ["foo_bar는 수정 금지입니다"],
  ])("demands in other languages: %s", (line) => {
    expect(sourcesOf([user(line)]).foo_bar).toContain("constraint");
  });

  test("files that calls changed or read, the newest first when there are many", () => {
    const edits = Array.from({ length: 30 }, (_, index) =>
      assistant(call(`e${index}`, "edit_file", { file_path: `/app/src/part${index}.ts`, text: "other.ts" })),
    );
    const facts = sourcesOf([assistant(call("r", "read_file", { path: "README.md" })), ...edits]);
    expect(facts["README.md"]).toEqual(["read-file"]);
    expect(facts["/app/src/part29.ts"]).toEqual(["modified-file"]);
    expect(facts["/app/src/part0.ts"]).toBeUndefined();
    expect(facts["other.ts"]).toBeUndefined();
  });

  test("files named by a patch", () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch";
    expect(sourcesOf([assistant(call("1", "shell", { command: ["apply_patch", patch] }))])["src/a.ts"]).toEqual([
      "modified-file",
    ]);
  });

  test("errors that nothing resolved", () => {
    const facts = sourcesOf([
      assistant(call("1", "bash", { command: "npm test" })),
      user(failed("1", "FAIL test/login.test.ts\nECONNREFUSED 5432")),
    ]);
    expect(facts["test/login.test.ts"]).toEqual(["unresolved-error"]);
    expect(facts.ECONNREFUSED).toEqual(["unresolved-error"]);
  });

  test("compiler errors in a result that is not marked as one", () => {
    const facts = sourcesOf([
      assistant(call("1", "bash", { command: "tsc" })),
      user(result("1", "checking fileOne\nsrc/a.ts(3,5): error TS2345: no overload\nFound 1 error.")),
    ]);
    expect(facts).toEqual({ "src/a.ts": ["unresolved-error"], TS2345: ["unresolved-error"] });
  });

  test("what the assistant said last, not what it said long ago", () => {
    const old = assistant("I start with oldThing.");
    const facts = sourcesOf([old, user("go on"), ...["a", "b", "c"].map((name) => assistant(`Next is ${name}Step.`))]);
    expect(Object.keys(facts)).toEqual(["cStep", "bStep", "aStep"]);
  });

  test("an earlier summary, but not from a truncation marker", () => {
    const summary = tag(assistant("Working on session_store."), { isSummary: true, condenseId: "c1" });
    const marker = tag(user("You must see marker_text."), { isTruncationMarker: true, truncationId: "t1" });
    expect(sourcesOf([summary, marker])).toEqual({ session_store: ["earlier-summary"] });
  });
});

describe("critical facts leave out", () => {
  const failure = [assistant(call("1", "bash", { command: "npm test" })), user(failed("1", "ECONNREFUSED 5432"))];
  const success = [assistant(call("2", "bash", { command: "npm test" })), user(result("2", "all green"))];

  test("errors of a call that succeeded later, hidden or kept", () => {
    expect(sourcesOf([...failure, ...success])).toEqual({});
    expect(sourcesOf(failure, success)).toEqual({});
  });

  test("but not errors that came back after a success", () => {
    expect(sourcesOf([...success, ...failure])).toHaveProperty("ECONNREFUSED");
  });

  test("errors that a file which was read only talks about", () => {
    const reading = [assistant(call("1", "read_file", { path: "docs" })), user(result("1", "Error: E1234"))];
    expect(sourcesOf(reading)).toEqual({});
  });
});

describe("critical facts stay bounded", () => {
  test("in number, whatever is hidden", () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `must keep name_${index}`).join("\n");
    const calls = Array.from({ length: 500 }, (_, index) =>
      assistant(`did step_${index}`, call(`${index}`, "edit", { path: `f${index}.ts` })),
    );
    const facts = criticalFacts([user(names), ...calls, user(names)], []);
    expect(facts.length).toBeLessThanOrEqual(MAX_CRITICAL_FACTS);
    expect(new Set(facts.flatMap(({ sources }) => sources))).toContain("modified-file");
  });

  test("in order: heaviest first, and the same every time", () => {
    const hidden = [user("never use foo_bar; see a_b, c_d"), assistant("foo_bar is gone; e_f next")];
    const weights = criticalFacts(hidden, []).map(({ weight }) => weight);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(criticalFacts(hidden, [])).toEqual(criticalFacts(structuredClone(hidden), []));
  });

  test("in time, on millions of lines, deep nesting and cycles", () => {
    const cyclic: Record<string, unknown> = { path: "a.ts" };
    cyclic.files = cyclic;
    let deep: unknown = "deep_name";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const hidden = [
      user("must\n".repeat(300_000)),
      assistant(call("1", "edit", cyclic), call("2", "edit", { files: deep })),
      user(failed("1", "Error: x\n".repeat(300_000))),
    ];
    let facts: ReturnType<typeof criticalFacts> = [];
    expect(cpuTimeMs(() => (facts = criticalFacts(hidden, [])))).toBeLessThan(5_000);
    expect(facts.map(({ value }) => value)).toContain("a.ts");
  });
});
