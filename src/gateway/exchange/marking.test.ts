/** Which requests get marks for the provider's prompt cache. */
import { describe, expect, test } from "vitest";
import {
  asking,
  type GatewayTurns,
  gatewayTurns,
  steps,
  type WireMessage,
} from "../../../test/support/gateway-turns.ts";

const MINE = { "x-palimpsest-session": "mine" };
const FOLDED = { promptTtl: "5m", isForAll: false } as const;
const ALL = { promptTtl: "5m", isForAll: true } as const;
const MARK = /"cache_control"/g;

const talk = (count: number) => steps("a", count, { resultLength: 2_000 });
const marksIn = (body: string | undefined) => body?.match(MARK)?.length ?? 0;

async function send(gateway: GatewayTurns, messages: readonly WireMessage[], more: object = {}) {
  return (await gateway.exchange(asking(messages, { headers: MINE, more: { ...more } }))).body;
}

/** A gateway with a conversation that had to be folded. */
async function folding(marking: typeof FOLDED | typeof ALL = FOLDED): Promise<GatewayTurns> {
  const gateway = gatewayTurns({ window: 16_000, marking });
  for (let count = 0; count <= 30; count++) await send(gateway, talk(count));
  return gateway;
}

describe("marks for the cache", () => {
  test("are in a request that shows folds, and the same ones where it is sent again, also after a restart", async () => {
    const gateway = await folding();
    const body = await send(gateway, talk(31));
    expect(marksIn(body)).toBe(4);
    expect(await send(gateway, talk(31))).toBe(body);
    const restarted = gatewayTurns({ window: 16_000, marking: FOLDED, store: gateway.store });
    expect(await send(restarted, talk(31))).toBe(body);
  });

  test("are in no request that shows none, unless all are to be marked", async () => {
    expect(await send(gatewayTurns({ marking: FOLDED }), talk(2))).toBeUndefined();
    expect(marksIn(await send(gatewayTurns({ marking: ALL }), talk(2)))).toBe(3);
  });

  test("are in nothing that is sent once: a summary, a title, a count of tokens", async () => {
    const gateway = await folding(ALL);
    const wish = {
      role: "user",
      content: "Your task is to create a detailed summary of the conversation so far.",
    } as const;
    const summary = await send(gateway, [...talk(31), wish]);
    expect(summary).toBeDefined();
    const title = await gateway.exchange(asking([{ role: "user", content: "A title, please." }], { tools: [] }));
    const path = "/v1/messages/count_tokens";
    const count = await gateway.exchange(asking(talk(31), { headers: MINE, path }));
    expect(count.body).toBeDefined();
    expect([summary, title.body, count.body].map(marksIn)).toEqual([0, 0, 0]);
  });

  test("are in no request to a model of which no cache is known: its server may refuse them", async () => {
    const gateway = gatewayTurns({ window: 16_000, marking: ALL });
    let body: string | undefined;
    for (let count = 0; count <= 30; count++) body = await send(gateway, talk(count), { model: "my-own-model" });
    expect(body).toBeDefined();
    expect(marksIn(body)).toBe(0);
  });
});
