/** A model is told how full its window is, in words that stay the same from then on. */
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer, startWorld } from "../support/gateway-world.ts";

const NOTICE = /\[context: (\d+) % of 24,000 tokens used; at \d+ % the oldest [\d,]+ will be folded\]/g;
const noticesIn = (body: string) => [...body.matchAll(NOTICE)].map(([line]) => line);

const window = 24_000;
const server = { contextWindow: window, promptCache: true };

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test("is told at every tenth of the window, once, and reads it again with every request until a fold hides it", async () => {
    const model = await startServer(server);
    const options = {
      windows: { all: window },
      store: memoryStore(),
      configuration: { monitoring: { budgetNotice: true } },
    };
    const first = await startGatewayBefore(model, options);
    let { url } = first.gateway;
    const client = open({ url: () => url });
    client.say("Read all files.");
    const outputsBefore = await work(client, { name: "told", turns: 5 });
    const second = await startGatewayBefore(model, options);
    ({ url } = second.gateway);
    await work(client, { name: "told", turns: 20, outputsBefore });
    expect(invalidRequests(model)).toEqual([]);
    expect([...first.incidents, ...second.incidents]).toEqual([]);
    const folding = [...first.turns, ...second.turns].map(({ foldIds }) => foldIds.length > 0);
    const told = model.requests.map(({ rawBody }) => noticesIn(rawBody));
    for (const [index, lines] of told.entries()) {
      const before = told[index - 1] ?? [];
      if (!(folding[index] ?? false)) expect(lines.slice(0, before.length)).toEqual(before);
      expect(lines.length).toBeLessThanOrEqual(before.length + 1);
    }
    const steps = (told.find((_, index) => folding[index + 1] === true) ?? []).map((line) =>
      Math.floor(Number(/\d+/.exec(line)?.[0]) / 10),
    );
    expect(steps.length).toBeGreaterThan(2);
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other));
    expect(folding).toContain(true);
    const breaking = model.requests.map(({ cache }) => cache?.isBreak === true);
    expect(breaking.filter((isBreak, index) => isBreak && !folding[index])).toEqual([]);
  });

  test("is told nothing where that is not switched on", async () => {
    const world = await startWorld({ server, gateway: { windows: { all: window } } });
    const client = open({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "silent", turns: 12 });
    expect(world.server.requests.flatMap(({ rawBody }) => noticesIn(rawBody))).toEqual([]);
  });
});
