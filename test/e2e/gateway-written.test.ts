/** When what agents say is in their sessions. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { finish, listSessions, readLog, SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";

test.each(SDK_KINDS)(
  "whoever has a reply of $name finds what it answers in the session, however slow the store is",
  async (kind) => {
    const slow = interceptStore(memoryStore(), { before: (call) => (call === "open" ? sleep(200) : undefined) });
    const world = await startWorld({ gateway: { store: slow } });
    const client = kind.open({ url: world.url });
    client.say("Read all files.");
    await finish(client, world);
    const [id = ""] = await listSessions(world.gateway.url);
    expect(await readLog(world.gateway.url, id)).toEqual([expect.stringContaining("Read all files.")]);
  },
);
