/** The session store of the Claude Agent SDK against what it was not made for. */
import { expect, test } from "vitest";
import { palimpsestSessionStore } from "../../src/integrations/claude-agent-sdk/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type Fault, unmetFaults, unmetPromises } from "../support/faults.ts";

const sessions = palimpsestSessionStore({ store: memoryStore() });
const KEY = { projectKey: "p", sessionId: "s" };

function call(run: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown {
  return Reflect.apply(run, undefined, given);
}

test("palimpsestSessionStore refuses what are no options", () => {
  const faults: readonly Fault[] = [
    [undefined, /options is undefined/],
    [5, /options is 5/],
    [{}, /options\.store is undefined/],
    [{ store: "a.db" }, /options\.store is "a\.db"/],
    [{ store: {} }, /options\.store\.append is undefined/],
  ];
  expect(unmetFaults((input) => call(palimpsestSessionStore, input), faults)).toEqual([]);
});

test.each(["append", "load", "delete", "listSubkeys"] as const)("%s refuses what is no key", async (name) => {
  const faults: readonly Fault[] = [
    [undefined, /key is undefined/],
    ["s", /key is "s"/],
    [{}, /key\.projectKey is undefined/],
    [{ projectKey: "", sessionId: "s" }, /key\.projectKey is ""/],
    [{ projectKey: "p", sessionId: 5 }, /key\.sessionId is 5/],
    [{ ...KEY, subpath: "" }, /key\.subpath is ""/],
  ];
  expect(await unmetPromises((input) => call(sessions[name], input, []), faults)).toEqual([]);
});

test("append refuses what are no entries, and then adds none", async () => {
  const circle: { type: string; self?: unknown } = { type: "user" };
  circle.self = circle;
  const faults: readonly Fault[] = [
    [undefined, /entries is undefined/],
    [{}, /entries is/],
    [[{ type: "user" }, null], /entries\[1\] is null/],
    [[{ type: "user" }, { uuid: "a" }], /entries\[1\] is/],
    [[{ type: "user", count: 1n }], /entries\[0\] is .*JSON can hold/],
    [[circle], /entries\[0\] is .*JSON can hold/],
    [[], "answers"],
  ];
  expect(await unmetPromises((input) => call(sessions.append, KEY, input), faults)).toEqual([]);
  expect(await sessions.load(KEY)).toBe(null);
});

test("listSessions refuses what is no project", async () => {
  const faults: readonly Fault[] = [
    [undefined, /projectKey is undefined/],
    ["", /projectKey is ""/],
    [{}, /projectKey is/],
  ];
  expect(await unmetPromises((input) => call(sessions.listSessions, input), faults)).toEqual([]);
});
