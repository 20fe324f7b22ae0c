import { describe, expect, test } from "vitest";
import {
  asking,
  type GatewayTurns,
  gatewayTurns,
  steps,
  type WireMessage,
} from "../../../test/support/gateway-turns.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import type { AgentRequest } from "../turn.ts";

const MINE = { "x-palimpsest-session": "mine" };
const WISH: WireMessage = {
  role: "user",
  content: "Your task is to create a detailed summary of the conversation so far.",
};

/** 32,000 × 0.9, less the 1,000 tokens that the reply may take. */
const [WINDOW, ALLOWED] = [32_000, 27_800];

const talk = (count: number) => steps("a", count, { resultLength: 2_000 });
const wishAfter = (count: number, more: object = {}) =>
  asking([...talk(count), WISH], { headers: MINE, more: { ...more } });

/** Works on, and has each prompt reported as `ratio` times what we count. */
async function workOn(gateway: GatewayTurns, count: number, ratio = 1): Promise<void> {
  for (let done = 0; done <= count; done += 2) {
    const request = asking(talk(done), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    if (turn === undefined) throw new Error("There is no turn.");
    const reported = Math.floor(conversationTokens(bodyOf(turn, request)) * ratio * 0.99);
    turn.follower.push(JSON.stringify({ usage: { input_tokens: reported, output_tokens: 1 } }));
    turn.end({ status: 200, isComplete: true });
    await gateway.pool.settled();
  }
}

/** Our count of the conversation that a body holds. */
function conversationTokens(body: string): number {
  const { messages }: { readonly messages: readonly { readonly content: string | readonly never[] }[] } =
    JSON.parse(body);
  return messages.reduce((sum, { content }) => sum + countContentTokens(content), 0);
}

const bodyOf = (turn: { readonly body: string | undefined }, request: AgentRequest) =>
  turn.body ?? request.body.toString();

describe("an agent's own wish for a summary", () => {
  test("goes as it came where that fits, though the session is folded", async () => {
    const gateway = gatewayTurns({ window: 100_000 });
    await workOn(gateway, 62);
    const next = await gateway.exchange(asking(talk(62), { headers: MINE }));
    expect(Number(next.headers()["x-palimpsest-folds"])).toBeGreaterThan(0);
    const request = wishAfter(62);
    const turn = await gateway.exchange(request);
    expect(turn.body).toBeUndefined();
    expect(turn.headers()).toMatchObject({ "x-palimpsest-folds": "0" });
    // folded as the session is, it would be this much
    expect(conversationTokens(bodyOf(next, request))).toBeLessThan(0.7 * conversationTokens(request.body.toString()));
    const log = (await (await gateway.engine.session("mine")).log()).filter((message) => !isStandIn(message));
    expect(log).toHaveLength(talk(62).length);
  });

  test("of 60k tokens in a window of 32k shows as much of the conversation as may be sent", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    await workOn(gateway, 82);
    const request = wishAfter(82);
    expect(conversationTokens(request.body.toString())).toBeGreaterThan(59_000);
    const replayed = await gateway.exchange(asking(talk(82), { headers: MINE }));
    const turn = await gateway.exchange(request);
    const sent = Number(turn.headers()["x-palimpsest-tokens-sent"]);
    expect(sent).toBeGreaterThan(0.9 * ALLOWED);
    expect(sent).toBeLessThanOrEqual(ALLOWED);
    expect(conversationTokens(turn.body ?? "")).toBeGreaterThan(0.9 * ALLOWED);
    // what the session shows, and the wish showed before: 14.7k, where there are 26.6k now
    expect(conversationTokens(replayed.body ?? "")).toBeLessThan(0.75 * ALLOWED);
    expect(turn.body).toContain("create a detailed summary");
  });

  test.each([37, 38, 40, 44, 50, 56, 64, 100, 200])(
    "after %d steps is folded to just under what is allowed, or to what is worth a fold at all",
    async (count) => {
      const gateway = gatewayTurns({ window: WINDOW });
      await gateway.exchange(asking(talk(count), { headers: MINE }));
      const turn = await gateway.exchange(wishAfter(count));
      const sent = Number(turn.headers()["x-palimpsest-tokens-sent"]);
      const whole = Number(turn.headers()["x-palimpsest-tokens-in"]);
      expect(whole).toBeGreaterThan(ALLOWED);
      // a ledger must save a fifth
      expect(sent).toBeGreaterThan(0.95 * Math.min(0.97 * ALLOWED, 0.79 * whole));
      expect(sent).toBeLessThanOrEqual(ALLOWED);
      expect(gateway.incidents).toEqual([]);
    },
  );

  test("is counted as the session's model counts", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    await workOn(gateway, 60, 1.5);
    const turn = await gateway.exchange(wishAfter(60));
    const counted = conversationTokens(turn.body ?? "");
    expect(counted * 1.5).toBeLessThanOrEqual(ALLOWED);
    expect(counted * 1.5).toBeGreaterThan(0.85 * ALLOWED);
    // 19k of ours are 28k of the model's: beyond what is sure, but within the window beside the reply
    const close = await gateway.exchange(wishAfter(26));
    expect(close.body).toBeUndefined();
    const beyond = await gateway.exchange(wishAfter(30));
    expect(beyond.body).toBeDefined();
  });

  test("leaves the room for its reply that it asks for, up to a quarter of the window", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    await workOn(gateway, 40);
    const sent = async (maxTokens: number) => {
      const turn = await gateway.exchange(wishAfter(40, { max_tokens: maxTokens }));
      return Number(turn.headers()["x-palimpsest-tokens-sent"]);
    };
    const [short, long, longest] = [await sent(1_000), await sent(6_000), await sent(32_000)];
    expect(short).toBeGreaterThan(0.9 * ALLOWED);
    expect([long <= WINDOW * 0.9 - 6_000, long > 0.9 * (WINDOW * 0.9 - 6_000)]).toEqual([true, true]);
    expect([longest <= WINDOW * 0.9 - 8_000, longest > 0.9 * (WINDOW * 0.9 - 8_000)]).toEqual([true, true]);
  });

  test("is the same bytes each time, also twice at once, and in another gateway that has the store", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    await workOn(gateway, 60, 1.2);
    const request = wishAfter(60);
    const [one, other] = await Promise.all([gateway.exchange(request), gateway.exchange(request)]);
    const again = await gateway.exchange(request);
    const elsewhere = await gatewayTurns({ window: WINDOW, store: gateway.store }).exchange(request);
    expect(one.body).toBeDefined();
    expect([other.body, again.body, elsewhere.body]).toEqual([one.body, one.body, one.body]);
  });

  test("that is refused all the same is folded to just under what the refusal leaves", async () => {
    const gateway = gatewayTurns({ window: 200_000 });
    await workOn(gateway, 40);
    const turn = await gateway.turns.begin(wishAfter(40));
    expect(turn?.body).toBeUndefined();
    const shorter = await turn?.shorten({ by: "tokens", limitTokens: 24_000, promptTokens: 29_500 });
    const allowed = 24_000 * 0.9 - 1_000;
    expect(conversationTokens(shorter ?? "")).toBeLessThanOrEqual(allowed);
    expect(conversationTokens(shorter ?? "")).toBeGreaterThan(0.88 * allowed);
    turn?.end({ status: 200, isComplete: true });
    await gateway.pool.settled();
    expect(gateway.incidents).toEqual([]);
  });

  test("in one message that holds all of the conversation goes as it came, or is clipped", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    const wish = "Create a new anchored summary from the conversation history in the <conversation> tags above.";
    const ask = (count: number) => {
      const text = talk(count).map(({ content }) => JSON.stringify(content));
      const content = `<conversation>\n${text.join("\n")}\n</conversation>\n\n${wish}`;
      return gateway.exchange(asking([{ role: "user", content }], { tools: [] }));
    };
    expect((await ask(25)).body).toBeUndefined();
    const clipped = await ask(80);
    expect(clipped.body).toContain(wish);
    expect(Number(clipped.headers()["x-palimpsest-tokens-sent"])).toBeLessThanOrEqual(ALLOWED);
  });
});
