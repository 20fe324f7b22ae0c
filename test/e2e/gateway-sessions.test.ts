/** Long sessions of real clients through the gateway, before a server that is as strict as the providers and has a small window. */
import { describe, expect, test } from "vitest";
import { sized } from "../chaos/chaos-size.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { findFacts, finish, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 32_000;
const TURNS = sized({ full: 60, short: 24 });
const STREAMING = { what: "streaming", isStreaming: true };
const MODES = sized({ full: [STREAMING, { what: "not streaming", isStreaming: false }], short: [STREAMING] });

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test.each(MODES)("completes its tool turns in a window of 32k, $what", async ({ isStreaming }) => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    const client = open({ url: world.url });
    client.say("Read all files and tell what they export.");
    const outputs = await work(client, { name: "long", turns: TURNS, isStreaming: () => isStreaming });
    expect(outputs).toBe((TURNS * 4) / 3);
    expect(await finish(client, world)).toBe("All is read.");
    expect(world.server.requests.map(({ refusal }) => refusal).filter((refusal) => refusal !== undefined)).toEqual([]);
    expect(world.server.requests).toHaveLength(TURNS + 1);
    expect(world.incidents).toEqual([]);
    const ids = sessionIds(world);
    expect(ids).toHaveLength(1);
    const facts = await findFacts(world, { id: ids[0] ?? "", name: "long", outputs });
    expect(facts.lost).toEqual([]);
    expect(facts.recalled).toBeGreaterThan(TURNS / 3);
  });

  test("completes its tool turns where the window must be learned from refusals, which the client never sees", async () => {
    // By prices, it would be folded before it meets the limit.
    const gateway = { configuration: { thresholds: { adaptive: false } } };
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway });
    const client = open({ url: world.url });
    client.say("Read all files and tell what they export.");
    const outputs = await work(client, { name: "learned", turns: TURNS });
    expect(await finish(client, world)).toBe("All is read.");
    expect(invalidRequests(world.server)).toEqual([]);
    expect(tooLongRequests(world.server).length).toBeGreaterThan(0);
    expect(world.sent.map(({ status }) => status)).toEqual(Array.from({ length: TURNS + 1 }, () => 200));
    expect(world.incidents).toEqual([]);
    const ids = sessionIds(world);
    expect(ids).toHaveLength(1);
    const facts = await findFacts(world, { id: ids[0] ?? "", name: "learned", outputs });
    expect(facts.lost).toEqual([]);
    expect(facts.recalled).toBeGreaterThan(TURNS / 3);
  });
});
