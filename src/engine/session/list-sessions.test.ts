import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { listSessions } from "./list-sessions.ts";

const id = fc.tuple(fc.constantFrom("", "langgraph:", "claude-agent:", "langgraph"), fc.string({ minLength: 1 }));

test("lists as many sessions as are asked for, whatever integrations keep between them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        id.map((parts) => parts.join("")),
        { maxLength: 30 },
      ),
      fc.integer({ min: 0, max: 40 }),
      async (ids, limit) => {
        let now = 0;
        const store = memoryStore({ now: () => ++now });
        for (const each of ids) await store.append((await store.open(each)).key, [{ body: "{}" }]);
        const sessions = ids.filter((each) => !/^(?:langgraph|claude-agent):/.test(each)).toReversed();
        const listed = await listSessions(store, { limit });
        expect(listed.map((each) => each.id)).toEqual(sessions.slice(0, limit));
      },
    ),
    PROPERTY_RUNS,
  );
});

test("lists a hundred where nobody says how many", async () => {
  const store = memoryStore();
  for (let index = 0; index < 150; index++) await store.open(`langgraph:${index}`);
  for (let index = 0; index < 120; index++) await store.open(`session ${index}`);
  expect(await listSessions(store)).toHaveLength(100);
});
