/** What a host tells the model in the middle of a conversation still holds when what was said around it is hidden. */
import { expect, test } from "vitest";
import { fixtureBody, type WireFixture } from "../support/gateway-fixture.ts";
import { WIRE_FIXTURES } from "../support/gateway-fixtures.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;
const RULE = "Always answer in rhymes.";

function fixtureOf(start: string): WireFixture {
  const found = WIRE_FIXTURES.find(({ name }) => name.startsWith(start));
  if (found === undefined) throw new Error(`there is no fixture for ${start}`);
  return found;
}

test.each([
  { wire: "Messages", item: { role: "system", content: RULE }, asks: [{ role: "user", content: "Go on." }] },
  { wire: "Chat", item: { role: "developer", content: RULE }, asks: [] },
  { wire: "Chat", item: { role: "system", content: RULE }, asks: [] },
  {
    wire: "Responses",
    item: { type: "message", role: "developer", content: [{ type: "input_text", text: RULE }] },
    asks: [],
  },
  { wire: "Responses", item: { role: "system", content: RULE }, asks: [] },
])("$wire: a message of the role $item.role is not lost to the model", async ({ wire, item, asks }) => {
  const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
  const fixture = fixtureOf(wire);
  const output = (index: number) => `line ${index} of another text\n`.repeat(200);
  const later = Array.from({ length: 6 }, (_, index) => fixture.wire.turn(200 + index, output(index))).flat();
  const body = fixtureBody({ ...fixture, items: [...asks, item, ...later], fields: {} }, 2);
  const response = await fetch(world.url() + fixture.wire.path, {
    method: "POST",
    headers: { "content-type": "application/json", ...fixture.wire.headers },
    body,
  });
  expect(response.status).toBe(200);
  expect(world.turns[0]?.foldIds.some((id) => id.startsWith("condense"))).toBe(true);
  expect(world.server.requests[0]?.rawBody).toContain(RULE);
});
