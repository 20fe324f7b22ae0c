/** An agent that sends an earlier state of its conversation again: a late retry, or a rewind from which it goes on. */
import { expect, test } from "vitest";
import {
  asking,
  type GatewayTurns,
  gatewayTurns,
  steps,
  type WireMessage,
} from "../../../test/support/gateway-turns.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import type { Turn } from "../turn.ts";

const MINE = { "x-palimpsest-session": "mine" };
const talk = (count: number) => steps("a", count, { resultLength: 2_000 });
const request = (messages: readonly WireMessage[]) => asking(messages, { headers: MINE });
const foldsMade = ({ activities }: GatewayTurns) =>
  activities.flatMap((each) => (each.type === "request" ? each.foldIds : []));
/** What stands in a body up to the end of its conversation. */
const prefixOf = (body: string | undefined) => body?.slice(0, body.lastIndexOf("]")) ?? "none";

function withReminder(message: WireMessage | undefined): WireMessage {
  const results = Array.isArray(message?.content) ? message.content : [];
  const reminder = { type: "text", text: "<reminder>The list of things to do is empty.</reminder>" };
  return { role: "user", content: [...results, reminder] };
}

/** Goes on for so many steps, one after the other; the bodies that were sent. */
async function goOn(gateway: GatewayTurns, from: number, to: number): Promise<readonly (string | undefined)[]> {
  const bodies: (string | undefined)[] = [];
  for (let count = from; count <= to; count++) bodies.push((await gateway.exchange(request(talk(count)))).body);
  return bodies;
}

const OTHER_WAY: readonly WireMessage[] = [
  { role: "assistant", content: "I see another way." },
  { role: "user", content: "Then take that one." },
];

test("each older request is the same bytes again, whatever was folded since", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  const sent = await goOn(gateway, 1, 41);
  expect(foldsMade(gateway).length).toBeGreaterThan(2);
  expect(await goOn(gateway, 1, 41)).toEqual(sent);
  expect(gateway.incidents).toEqual([]);
});

test("what an agent goes back to is the beginning of what it goes on with", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  const sent = (await goOn(gateway, 1, 21)).at(-1);
  expect(sent).toContain("hidden in fold");
  const before = foldsMade(gateway).length;
  await goOn(gateway, 22, 41);
  const made = foldsMade(gateway);
  expect(made.length).toBeGreaterThan(before);
  const again = await gateway.exchange(request(talk(21)));
  const next = await gateway.exchange(request([...talk(21), ...OTHER_WAY]));
  expect(again.body).toBe(sent);
  expect(next.body?.startsWith(prefixOf(sent))).toBe(true);
  expect(foldsMade(gateway)).toEqual(made);
  expect(gateway.incidents).toEqual([]);
});

test("an older request whose last message has lost its reminder since is the same bytes again", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  const reminded = [...talk(21).slice(0, -1), withReminder(talk(21).at(-1))];
  await goOn(gateway, 1, 20);
  const sent = (await gateway.exchange(request(reminded))).body;
  await goOn(gateway, 22, 41);
  const again = await gateway.exchange(request(reminded));
  expect(sent).toContain("The list of things to do is empty.");
  expect(again.body).toBe(sent);
});

test("an older request of which nothing was folded then goes as it came", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  await goOn(gateway, 1, 41);
  const again = await gateway.exchange(request(talk(2)));
  const next = await gateway.exchange(request([...talk(2), ...OTHER_WAY]));
  expect([again.body, next.body]).toEqual([undefined, undefined]);
});

test("a late retry of an older request rewinds nothing, also at a gateway that opens the session anew", async () => {
  const store = memoryStore();
  const gateway = gatewayTurns({ window: 16_000, store });
  const [sent] = await goOn(gateway, 21, 21);
  const newest = (await goOn(gateway, 22, 41)).at(-1);
  const other = gatewayTurns({ window: 16_000, store });
  expect((await other.exchange(request(talk(21)))).body).toBe(sent);
  expect((await other.exchange(request(talk(41)))).body).toBe(newest);
  expect(await (await gateway.engine.session("mine")).log()).toEqual(await (await other.engine.session("mine")).log());
  expect(foldsMade(other)).toEqual([]);
  const changes = other.activities.filter(({ type }) => type === "session");
  expect(changes).toEqual([]);
});

test("the size of an older request is foretold without what was reported for a later view", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  const sizes: number[] = [];
  for (let count = 1; count <= 41; count++) {
    const turn = await gateway.turns.begin(request(talk(count)));
    const tokens = tokensSentOf(turn);
    sizes.push(tokens);
    turn?.follower.push(JSON.stringify({ usage: { input_tokens: tokens, output_tokens: 1 } }));
    turn?.end({ status: 200, isComplete: true });
    await gateway.pool.settled();
  }
  const now = tokensSentOf(await gateway.exchange(request(talk(13))));
  const share = now / (sizes[12] ?? 0);
  expect(share).toBeGreaterThan(0.9);
  expect(share).toBeLessThan(1.1);
});

function tokensSentOf(turn: Turn | undefined): number {
  return Number(turn?.headers()["x-palimpsest-tokens-sent"]);
}
