/** What fails inside the gateway never fails a request that would have worked without it. */
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { finish, listSessions, readLog, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";

describe("a store that fails", () => {
  const failing = (isBroken: () => boolean): Store =>
    interceptStore(memoryStore(), {
      before: () => {
        if (isBroken()) throw new Error("The disk is gone, and with it sk-of-the-client-0123456789.");
      },
    });

  test.each(SDK_KINDS)("on everything: a session of $name that fits completes untouched", async ({ open }) => {
    const lines: string[] = [];
    const store = failing(() => true);
    const world = await startWorld({ gateway: { store, log: (line) => lines.push(line) } });
    const client = open({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "open", turns: 8 });
    expect(await finish(client, world)).toBe("All is read.");
    expect(world.server.requests.map(({ rawBody }) => rawBody)).toEqual(world.sent.map(({ body }) => body));
    expect(world.sent.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
    expect(world.incidents.length).toBeGreaterThan(0);
    expect(lines.length).toBe(world.incidents.length);
    expect(lines.join("\n")).not.toMatch(/sk-of|passcode|Read all/);
  });

  test.each(SDK_KINDS)(
    "for a while: a session of $name completes, and what was said is there after it",
    async ({ open }) => {
      let isBroken = false;
      const world = await startWorld({ gateway: { store: failing(() => isBroken) } });
      const client = open({ url: world.url });
      client.say("Read all files.");
      const beforeTurn = (turn: number) => {
        isBroken = turn >= 3 && turn < 6;
      };
      await work(client, { name: "while", turns: 9, beforeTurn });
      await finish(client, world);
      const [id = ""] = await listSessions(world.gateway.url);
      const log = await readLog(world.gateway.url, id);
      expect(log).toHaveLength(1 + 9 * 2);
      expect(new Set(log).size).toBe(log.length);
    },
  );

  test("by never answering: the request goes on when its time is over", async () => {
    const waiting: (() => void)[] = [];
    let isStuck = false;
    const before = () => (isStuck ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
    const world = await startWorld({
      gateway: { store: interceptStore(memoryStore(), { before }), limits: { turnTimeoutMs: 200 } },
    });
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    const beforeTurn = (turn: number) => {
      isStuck = turn >= 2;
    };
    await work(client, { name: "stuck", turns: 4, beforeTurn });
    expect(waiting.length).toBeGreaterThan(0);
    expect(world.server.requests.map(({ rawBody }) => rawBody)).toEqual(world.sent.map(({ body }) => body));
    expect(world.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    isStuck = false;
    for (const answer of waiting) answer();
  });
});
