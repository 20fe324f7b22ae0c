import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MINE = { "x-palimpsest-session": "mine" };
const tooLong = { isTooLong: true, by: "tokens" } as const;
const usageOf = (inputTokens: number) => JSON.stringify({ usage: { input_tokens: inputTokens, output_tokens: 1 } });

describe("a request that was refused as too long", () => {
  test("is shortened further by our own count, however many tokens the upstream makes of it", async () => {
    const gateway = gatewayTurns();
    const request = asking(steps("a", 8, { resultLength: 14_000 }), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    const refuse = async (promptTokens: number) => turn?.shorten({ ...tooLong, promptTokens, limitTokens: 20_000 });
    const once = (await refuse(90_000)) ?? "";
    const twice = (await refuse(26_000)) ?? "";
    expect(once.length).toBeLessThan(request.body.length / 2);
    expect(twice.length).toBeLessThan(once.length);
    expect(twice).not.toBe("");
  });

  test("teaches its session nothing where the session's store failed and it was folded by itself", async () => {
    let isBroken = false;
    const before = () => {
      if (isBroken) throw new Error("disk");
    };
    const gateway = gatewayTurns({ store: interceptStore(memoryStore(), { before }) });
    const request = asking(steps("a", 30, { resultLength: 2_000 }), { headers: MINE });
    const session = async () => (await gateway.engine.session("mine")).snapshot();
    await gateway.exchange(request);
    const { tokenRatio } = await session();
    const turn = await gateway.turns.begin(request);
    isBroken = true;
    const shorter = await turn?.shorten({ ...tooLong, promptTokens: 30_000, limitTokens: 10_000 });
    isBroken = false;
    expect(shorter?.length).toBeLessThan(request.body.length / 2);
    turn?.follower.push(usageOf(5_000));
    turn?.end({ status: 200, isComplete: true });
    await gateway.exchange(asking(steps("b", 1)));
    expect((await session()).tokenRatio).toBe(tokenRatio);
  });
});

describe("a reply that reports a prompt of no tokens", () => {
  test("reports nothing: the conversation is folded all the same", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 40; count++) {
      const turn = await gateway.turns.begin(asking(steps("a", count, { resultLength: 2_000 }), { headers: MINE }));
      turn?.follower.push(usageOf(0));
      turn?.end({ status: 200, isComplete: true });
      await gateway.exchange(asking(steps("b", 1)));
      expect(Number(turn?.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(16_000 * 0.9);
    }
    const mine = gateway.activities.filter((each) => each.type === "request" && each.sessionId === "mine");
    expect(mine).toHaveLength(41);
    for (const activity of mine) expect(activity).not.toMatchObject({ tokensSent: 0 });
  });
});
