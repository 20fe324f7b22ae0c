import { expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { disturbStore } from "../../../test/support/intercepted-store.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MINE = { "x-palimpsest-session": "mine" };
const LONG = { resultLength: 2_000 };

/** Whose files a text names. */
const namesIn = (text: string) => [...new Set(text.match(/src\/(mine|theirs)/g))];

test("a request is never sent with folds that were made of another gateway's words", async () => {
  const shared = memoryStore();
  const store = disturbStore(shared);
  const [gateway, other] = [gatewayTurns({ window: 16_000, store }), gatewayTurns({ window: 16_000, store: shared })];
  await gateway.exchange(asking(steps("mine", 2, LONG), { headers: MINE }));
  const mine = steps("mine", 20, LONG);
  // As long as mine: folds for the one can be put in place for the other.
  const theirs = [...mine.slice(0, 5), ...steps("theirs", 20, LONG).slice(5)];
  // The request is appended first. Before its folds are, the other gateway rewinds the session and goes on with its own words.
  store.disturbNext("append", async () =>
    store.disturbNext("append", () => other.exchange(asking(theirs, { headers: MINE }))),
  );
  const turn = await gateway.exchange(asking(mine, { headers: MINE }));
  expect(turn.body).toContain("hidden in fold");
  expect(namesIn(turn.body ?? "")).toEqual(["src/mine"]);
  const session = await gateway.engine.session(turn.headers()["x-palimpsest-session"] ?? "");
  expect(namesIn(JSON.stringify(await session.log()))).toEqual(["src/mine"]);
  expect(other.activities).toContainEqual(expect.objectContaining({ sessionId: "mine", change: "rewound" }));
  expect(gateway.incidents).toEqual([]);
});

test("what a gateway with a smaller window folds of a request that is retried is what the others go on with", async () => {
  const store = memoryStore();
  const [gateway, smaller] = [gatewayTurns({ window: 40_000, store }), gatewayTurns({ window: 8_000, store })];
  const request = (count: number) => asking(steps("mine", count, LONG), { headers: MINE });
  const first = await gateway.exchange(request(10));
  expect(first.body).toBeUndefined();
  const again = await smaller.exchange(request(10));
  expect(again.body).toContain("hidden in fold");
  const retried = await gateway.exchange(request(10));
  expect(retried.body).toBe(again.body);
  const next = await gateway.exchange(request(11));
  expect(next.body?.startsWith(again.body?.slice(0, again.body.lastIndexOf("]")) ?? "none")).toBe(true);
  const made = gateway.activities.flatMap((each) => (each.type === "request" ? each.foldIds : []));
  expect(made).toEqual([]);
});
