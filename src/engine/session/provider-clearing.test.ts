import { expect, test } from "vitest";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { createEngine } from "../create-engine.ts";
import { clearingOf } from "./provider-clearing.ts";
import type { SessionEvent } from "./report.ts";

const openSession = () => createEngine({ model: "claude-sonnet-4-5", store: memoryStore() }).session("s");

const callsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `toolu_${index}`);

const clearedIn = (events: readonly SessionEvent[]) => events.filter((event) => event.type === "cleared");

test("each report keeps only what the one before did not have", async () => {
  const session = await openSession();
  for (let count = 1; count <= 50; count++) await session.recordClearing({ toolUseIds: callsUpTo(count) });
  const events = await session.events();
  expect(clearedIn(events).map(({ toolUseIds }) => toolUseIds)).toEqual(callsUpTo(50).map((id) => [id]));
  expect(clearingOf(events).cleared.toolUseIds).toEqual(callsUpTo(50));
});

test("a report without something that was left out before says all that is left out now", async () => {
  const session = await openSession();
  for (const toolUseIds of [["a"], ["a", "b"], ["b", "c"], [], ["b"]]) {
    await session.recordClearing({ toolUseIds });
    expect(clearingOf(await session.events()).cleared.toolUseIds).toEqual(toolUseIds);
  }
  await session.recordClearing({ toolUseIds: ["b", "d"], hidesInputs: true });
  const { cleared } = clearingOf(await session.events());
  expect(cleared).toMatchObject({ toolUseIds: ["b", "d"], hidesInputs: true });
});

test("what was restored is left out again by what is reported since", async () => {
  const session = await openSession();
  await session.recordClearing({ toolUseIds: ["a", "b"] });
  await session.restore("provider-clear-results");
  expect(clearingOf(await session.events()).cleared.toolUseIds).toEqual([]);
  await session.recordClearing({ toolUseIds: ["a", "b", "c"] });
  expect(clearingOf(await session.events()).cleared.toolUseIds).toEqual(["a", "b", "c"]);
});

test("reports of earlier versions each say all that was left out", () => {
  const event = (...toolUseIds: readonly string[]) =>
    ({ type: "cleared", at: 1, toolUseIds, hidesInputs: false, thoughtsOf: [] }) as const;
  expect(clearingOf([event("a", "b"), event("b", "c")]).cleared.toolUseIds).toEqual(["b", "c"]);
});
