/** A turn may end while its request is being shortened, because its client left. */
import { expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { disturbStore } from "../../../test/support/intercepted-store.ts";
import { memoryStore } from "../../stores/memory/index.ts";

test("a body that is shortened after its turn ended is not given, and changes nothing of the turn", async () => {
  const store = disturbStore(memoryStore());
  const gateway = gatewayTurns({ store });
  const request = asking(steps("a", 30, { resultLength: 2_000 }), { headers: { "x-palimpsest-session": "mine" } });
  const turn = (await gateway.turns.begin(request)) ?? expect.fail();
  const [follower, headers] = [turn.follower, turn.headers()];
  let isEnded = false;
  store.disturbNext("append", async () => {
    isEnded = true;
    turn.end({ status: 200, isComplete: false });
  });
  const shortened = await turn.shorten({ by: "tokens", promptTokens: 30_000, limitTokens: 10_000 });
  await gateway.pool.settled();
  expect(isEnded).toBe(true);
  expect(shortened?.length).toBeUndefined();
  expect(turn.follower).toBe(follower);
  expect(turn.headers()).toEqual(headers);
  expect(gateway.incidents).toEqual([]);
});
