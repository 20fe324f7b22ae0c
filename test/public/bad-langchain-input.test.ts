/** LangChain's converters, middleware and checkpointer against what they were not made for. */
import { tool } from "langchain";
import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import {
  palimpsestCheckpointer,
  palimpsestMiddleware,
  palimpsestRecallTool,
} from "../../src/integrations/langchain/index.ts";
import { fromLangChain, toLangChain } from "../../src/messages/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type Fault, MESSAGES_FAULTS, unmetFaults, unmetPromises } from "../support/faults.ts";

const GOOD = [{ role: "user", content: "Why?" }];
const call =
  (target: (...given: never[]) => unknown) =>
  (...given: readonly unknown[]): unknown =>
    Reflect.apply(target, undefined, given);

describe("toLangChain", () => {
  const convert = call(toLangChain);

  test("refuses what is no list of messages", () => {
    expect(unmetFaults((input) => convert(input), MESSAGES_FAULTS)).toEqual([]);
  });

  test("refuses what are no options", () => {
    const faults: readonly Fault[] = [
      [null, /options is null/],
      [5, /options is 5/],
      [{ system: 5 }, /options\.system is 5/],
      [{}, "answers"],
    ];
    expect(unmetFaults((input) => convert(GOOD, input), faults)).toEqual([]);
  });
});

describe("fromLangChain", () => {
  const convert = call(fromLangChain);

  test("refuses what is no list, and says which entry is none of its kind", () => {
    const faults: readonly Fault[] = [
      ...[null, undefined, 5, "a", {}].map((input): Fault => [input, /messages is /]),
      ...[null, 5, "a", []].map((input): Fault => [[...GOOD, input], /\[1\] is /]),
      [[{ role: "user", content: 5 }], /messages\[0\]\.content is 5/],
      [[{ role: 5, content: "a" }], /messages\[0\]\.role is 5/],
    ];
    expect(unmetFaults(convert, faults)).toEqual([]);
  });

  test("carries what is odd, and what it gives can be sent", () => {
    const odd = [null, 5, {}, { type: "text" }, { type: "image" }, { type: "image_url" }, { type: "tool_use" }];
    const faults: readonly Fault[] = [
      [[{ role: "user", content: odd }], "answers"],
      [[{ role: "critic", content: odd }], "answers"],
      [[{ type: "ai", content: [...odd, { type: "tool_call" }, { type: "reasoning" }] }], "answers"],
      [[{ role: "assistant", content: "", tool_calls: [null, 5, {}, { id: 5, args: "raw" }] }], "answers"],
      [[{ role: "tool", tool_call_id: "a", content: odd, status: 5 }], "answers"],
    ];
    expect(unmetFaults((input) => call(toLangChain)(convert(input)), faults)).toEqual([]);
  });
});

test("palimpsestMiddleware refuses what are no options", async () => {
  const engine = createEngine({ model: "claude-sonnet-4-5" });
  const session = await engine.session("a");
  const make = call(palimpsestMiddleware);
  const faults: readonly Fault[] = [
    [null, /options is null/],
    [{}, /options is an object; it must be \{ engine \} or \{ session \}/],
    [{ engine: 5 }, /options\.engine\.session is undefined/],
    [{ session: {} }, /options\.session\.prepare is undefined/],
  ];
  expect(unmetFaults(make, faults)).toEqual([]);
  expect(() => make({ engine, session })).toThrow("it must be { engine } or { session }");
  expect(() => make({ engine, onError: 5 })).toThrow("options.onError is 5");
  expect(() => make({ session, onReport: 5 })).toThrow("options.onReport is 5");
});

describe("palimpsestCheckpointer", () => {
  test("refuses what are no options", () => {
    const faults: readonly Fault[] = [
      [null, /options is null/],
      [{}, /options\.store is undefined/],
      [{ store: {} }, /options\.store\.append is undefined/],
    ];
    expect(unmetFaults(call(palimpsestCheckpointer), faults)).toEqual([]);
  });

  test("refuses to save what belongs to no thread", async () => {
    const { put, putWrites, deleteThread, getTuple } = palimpsestCheckpointer({ store: memoryStore() });
    const faults: readonly Fault[] = [
      [{}, /config\.configurable\.thread_id is undefined/],
      [{ configurable: { thread_id: 5 } }, /config\.configurable\.thread_id is 5/],
      [{ configurable: { thread_id: "" } }, /config\.configurable\.thread_id is ""/],
    ];
    expect(await unmetPromises((input) => call(put)(input, { id: "c1" }, {}), faults)).toEqual([]);
    expect(await unmetPromises((input) => call(putWrites)(input, [], "task"), faults)).toEqual([]);
    expect(await unmetPromises((input) => call(getTuple)(input), faults.slice(1))).toEqual([]);
    const thread = { configurable: { thread_id: "t1" } };
    await expect(call(put)(thread, {}, {})).rejects.toThrow("checkpoint.id is undefined");
    await expect(call(putWrites)(thread, [], "task")).rejects.toThrow("checkpoint_id is undefined");
    await expect(call(deleteThread)("")).rejects.toThrow('threadId is ""');
  });
});

describe("palimpsestRecallTool", () => {
  const make = call(palimpsestRecallTool);

  test("refuses what names no session or no maker, and too small a budget", () => {
    const engine = createEngine({ model: "claude-haiku-4-5" });
    const faults: readonly Fault[] = [
      ...[null, undefined, 5].map((input): Fault => [input, /options is/]),
      ...[{}, { session: {}, tool }, { session: 5, tool }, { engine: {}, tool }, { engine: null, tool }].map(
        (input): Fault => [input, /options|session/],
      ),
      ...[{ engine }, { engine, tool: 5 }].map((input): Fault => [input, /options\.tool/]),
      [{ engine, tool, budgetTokens: 5 }, /budgetTokens is 5/],
    ];
    expect(unmetFaults((input) => make(input), faults)).toEqual([]);
  });

  test("refuses a call that names no thread", async () => {
    const engine = createEngine({ model: "claude-haiku-4-5" });
    const execute = palimpsestRecallTool({ engine, tool: (recall) => recall });
    await expect(execute({ query: "why" }, { configurable: {} })).rejects.toThrow(/thread_id/);
  });
});
