/** Prompt caches live as long through the gateway as without it, and are lost only where something is folded. */
import { describe, expect, test } from "vitest";
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
