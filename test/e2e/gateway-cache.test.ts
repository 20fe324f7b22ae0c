/** Prompt caches live as long through the gateway as without it, and are lost only where something is folded. */
import { describe, expect, test } from "vitest";
import { type CacheOptions, startGateway } from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { cachedShare } from "../../src/testing/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { anthropicKind, openAnthropic } from "../support/gateway-anthropic-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { startServer, startWorld } from "../support/gateway-world.ts";

/** Anthropic caches only what is marked: its client marks as Claude Code does. */
const CACHED_KINDS = SDK_KINDS.map((kind) => ({
  ...kind,
  open:
    kind === anthropicKind
      ? (options: Parameters<typeof openAnthropic>[0]) => openAnthropic({ ...options, isMarked: true })
      : kind.open,
}));

/** The largest step in which a provider caches. */
const CACHE_STEP_TOKENS = 128;

const QUESTION = `Read all files. ${"Mind what each of them exports, and where it is used. ".repeat(120)}`;

describe.each(CACHED_KINDS)("$name", ({ open, name }) => {
  test("without folding, as much is read from the cache as without the gateway", async () => {
    const server = await startServer({ promptCache: true });
    const direct = open({ url: () => server.url });
    direct.say(QUESTION);
    await work(direct, { name: "same", turns: 16 });

    const world = await startWorld({ server: { promptCache: true } });
    const client = open({ url: world.url });
    client.say(QUESTION);
    await work(client, { name: "same", turns: 16 });

    expect(cachedShare(server.requests)).toBeGreaterThan(0.5);
    expect(cachedShare(world.server.requests)).toBeGreaterThanOrEqual(cachedShare(server.requests));
    expect(world.server.requests.map(({ rawBody }) => rawBody)).toEqual(server.requests.map(({ rawBody }) => rawBody));
  });

  test("with folding, the cached prefix breaks only where folds were made", async () => {
    const window = 24_000;
    const server = { contextWindow: window, promptCache: true };
    const world = await startWorld({ server, gateway: { windows: { all: window } } });
    const client = open({ url: world.url });
    client.say(QUESTION);
    await work(client, { name: "folds", turns: sized({ full: 50, short: 30 }) });
    expect(invalidRequests(world.server)).toEqual([]);
    expect(world.turns).toHaveLength(world.server.requests.length);
    const folding = world.turns.map(({ foldIds }) => foldIds.length > 0);
    const breaking = world.server.requests.map(({ cache }) => cache?.isBreak === true);
    expect(breaking.filter((isBreak, index) => isBreak && !folding[index])).toEqual([]);
    // Without a fold, all of the prompt before is read from the cache.
    const lost = world.server.requests.flatMap(({ cache }, index) => {
      const { promptTokens = 0 } = world.server.requests[index - 1] ?? {};
      const isRead = (cache?.readTokens ?? 0) > promptTokens - CACHE_STEP_TOKENS;
      return isRead || folding[index] ? [] : [index];
    });
    expect(lost, `${name}: requests that lost the cache without a fold`).toEqual([]);
    expect(folding.filter(Boolean).length).toBeGreaterThan(1);
    expect(folding.filter(Boolean).length).toBeLessThan(15);
    expect(cachedShare(world.server.requests)).toBeGreaterThan(0.5);
  });
});

/** The lifetimes of the marks in a body, in the order of the text. */
const marksIn = (body: string) =>
  [...body.matchAll(/"cache_control":\{"type":"ephemeral"(?:,"ttl":"(\w+)")?\}/g)].map(([, ttl = "5m"]) => ttl);

describe("breakpoints of an agent that sets none", () => {
  const window = 24_000;

  async function workWith(cache: CacheOptions | undefined) {
    const server = { contextWindow: window, promptCache: true };
    const world = await startWorld({ server, gateway: { windows: { all: window }, cache } });
    const client = openAnthropic({ url: world.url });
    client.say(QUESTION);
    await work(client, { name: "marks", turns: sized({ full: 40, short: 26 }) });
    expect(invalidRequests(world.server)).toEqual([]);
    expect(world.incidents).toEqual([]);
    const bodies = world.server.requests.map(({ rawBody }) => rawBody);
    return { world, bodies, share: cachedShare(world.server.requests) };
  }

  test("are set in requests that show folds, which are read from the cache from then on", async () => {
    const { bodies, world, share } = await workWith(undefined);
    const first = world.turns.findIndex(({ foldIds }) => foldIds.length > 0);
    expect(first).toBeGreaterThan(1);
    expect(bodies.slice(0, first)).toEqual(world.sent.slice(0, first).map(({ body }) => body));
    for (const body of bodies.slice(first)) expect(marksIn(body).length).toBeGreaterThan(2);
    for (const body of bodies.slice(first)) expect(marksIn(body).length).toBeLessThan(5);
    expect(share).toBeGreaterThan(0.4);
  });

  test("are set in all requests where that is asked for, system prompt and tools for an hour", async () => {
    const { bodies, share } = await workWith({ breakpoints: "always", ttl: "1h" });
    for (const body of bodies) {
      const [prompt, ...others] = marksIn(body).toSorted();
      expect(prompt).toBe("1h");
      expect(new Set(others)).toEqual(new Set(["5m"]));
    }
    expect(share).toBeGreaterThan(0.6);
  });

  test("are not set where they are off", async () => {
    const { bodies, share } = await workWith({ breakpoints: "off" });
    expect(bodies.flatMap(marksIn)).toEqual([]);
    expect(share).toBe(0);
  });
});

test("settings for the cache that make no sense are refused by name", async () => {
  const start = (cache: unknown) => Reflect.apply(startGateway, undefined, [{ store: memoryStore(), port: 0, cache }]);
  await expect(start({ breakpoints: "sometimes" })).rejects.toThrow(/options\.cache\.breakpoints.*folded, always, off/);
  await expect(start({ ttl: "2h" })).rejects.toThrow(/options\.cache\.ttl/);
  await expect(start(5)).rejects.toThrow(/options\.cache/);
});
