import { expect, test } from "vitest";
import { createRecallIndex } from "../recall-index.ts";

/** Logs in which every number stands everywhere, and a seal of each room. */
function roomLog(room: number): string {
  const lines = Array.from(
    { length: 40 },
    (_, index) => `${room}.${index} pump ${index % 13} gate ${(index * room) % 17}`,
  );
  return lines.toSpliced(20, 0, `The seal of room ${room} is cobalt-${room * 37}.`).join("\n");
}

test.each([1, 2, 10, 16])("what is said of room %i comes first where it is asked for", (room) => {
  const messages = Array.from({ length: 20 }, (_, index) => ({ role: "user" as const, content: roomLog(index + 1) }));
  const [best] = createRecallIndex(messages, { scope: "all" }).recall(`seal of Room ${room}`, { budgetTokens: 1_000 });
  expect(best?.text).toContain(`The seal of room ${room} is`);
});
