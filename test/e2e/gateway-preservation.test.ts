/** What is not ours stays as it is, in requests of which other messages must be folded. */
import { describe, expect, test } from "vitest";
import { fixtureBody, type WireFixture } from "../support/gateway-fixture.ts";
import { WIRE_FIXTURES } from "../support/gateway-fixtures.ts";
import { compareItems, sliceBody, withoutMarks } from "../support/gateway-slices.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;

async function send({ url }: GatewayWorld, { wire, headers = {} }: WireFixture, body: string): Promise<string> {
  const response = await fetch(url() + wire.path, {
    method: "POST",
    headers: { "content-type": "application/json", ...wire.headers, ...headers },
    body,
  });
  const text = await response.text();
  return `${response.status} ${response.ok ? "" : text}`.trim();
}

/** The fixture's own items, as they stand in a body. */
function ownItems({ wire, items }: WireFixture, body: string, turnsAfter: number): readonly string[] {
  const after = Array.from({ length: turnsAfter }, (_, index) => wire.turn(100 + index, "nothing new")).flat();
  return sliceBody(body, wire.field).items.slice(-items.length - after.length);
}

describe.each(WIRE_FIXTURES)("$name", (fixture) => {
  const { field } = fixture.wire;

  test.each([0, 1])(
    "arrives as it was sent while older messages are folded, with %i turns after it",
    async (turnsAfter) => {
      const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
      const body = fixtureBody(fixture, turnsAfter);
      expect(await send(world, fixture, body)).toBe("200");
      expect(world.incidents).toEqual([]);
      const [request] = world.server.requests;
      expect(request).toMatchObject({ outcome: "answered", path: fixture.wire.path });
      expect(request?.headers).toMatchObject(fixture.wire.headers);
      expect(world.turns[0]?.foldIds.length).toBeGreaterThan(0);
      const [sent, own] = [sliceBody(withoutMarks(request?.rawBody ?? "", body), field), sliceBody(body, field)];
      expect([sent.before, sent.after]).toEqual([own.before, own.after]);
      const { kept, strange } = compareItems(sent, own);
      expect(strange).toEqual([]);
      const fixtureItems = ownItems(fixture, body, turnsAfter);
      expect(kept.slice(-fixtureItems.length)).toEqual(fixtureItems);
    },
  );

  test("stays the same when the session goes on", async () => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    for (const turnsAfter of [0, 1, 2]) {
      expect(await send(world, fixture, fixtureBody(fixture, turnsAfter))).toBe("200");
    }
    const [first = [], ...others] = world.server.requests.map(
      ({ rawBody }, index) => sliceBody(withoutMarks(rawBody, fixtureBody(fixture, index)), field).items,
    );
    for (const items of others) expect(items.slice(0, first.length)).toEqual(first);
    expect(world.turns.map(({ foldIds }) => foldIds.length > 0)).toEqual([true, false, false]);
    expect(new Set(world.turns.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test("is accepted where it is old and may be folded itself", async () => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    const [asked, ...rest] = sliceBody(fixtureBody(fixture, 2), field).items;
    const own = sliceBody(fixtureBody(fixture, 2), field);
    const count = fixture.items.length;
    const [work, recent] = [rest.slice(0, -count - recentCount(fixture)), rest.slice(-count - recentCount(fixture))];
    const items = [asked, ...recent, ...work];
    const body = `${own.before}${items.join(",")}${own.after}`;
    expect(await send(world, fixture, body)).toBe("200");
    const sent = sliceBody(withoutMarks(world.server.requests[0]?.rawBody ?? "", body), field);
    const { strange } = compareItems(sent, sliceBody(body, field));
    expect(strange.filter((item) => !isLentThinking(item, items) && !isBridge(item))).toEqual([]);
    expect(world.incidents).toEqual([]);
  });
});

function recentCount({ wire }: WireFixture): number {
  return [100, 101].flatMap((index) => wire.turn(index, "")).length;
}

/** After a message of the system that stays, the assistant must speak before a stand-in of the user's. */
function isBridge(item: string): boolean {
  return item === '{"role":"assistant","content":"[Noted.]"}';
}

/** Whether an item is one of these with thinking before it: a loop whose beginning is hidden must still start with it. */
function isLentThinking(item: string, items: readonly (string | undefined)[]): boolean {
  const message: { readonly content?: unknown } = JSON.parse(item);
  if (!Array.isArray(message.content)) return false;
  const [lent, ...content]: readonly { readonly type?: unknown }[] = message.content;
  if (lent?.type !== "thinking" && lent?.type !== "redacted_thinking") return false;
  const own = JSON.stringify({ ...message, content });
  return items.some((other) => other !== undefined && JSON.stringify(JSON.parse(other)) === own);
}
