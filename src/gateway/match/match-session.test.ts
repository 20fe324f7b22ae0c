import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps, type WireMessage } from "../../../test/support/gateway-turns.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MINE = { "x-palimpsest-session": "mine" };

/** Two conversations of this kind have their last words in common, and nothing else. */
function talk(name: string): readonly WireMessage[] {
  const opening = `Work on ${name}.`;
  return [...steps(name, 2, { opening }), { role: "assistant", content: "Done." }, { role: "user", content: "Go on." }];
}

const sessionIds = async ({ engine }: ReturnType<typeof gatewayTurns>) =>
  (await engine.sessions()).map(({ id }) => id).toSorted();

describe("a session that was deleted", () => {
  test("is nobody's, and stays deleted when others use words of it", async () => {
    const gateway = gatewayTurns();
    const send = async (name: string) => {
      const turn = await gateway.exchange(asking(talk(name)));
      return turn.headers()["x-palimpsest-session"] ?? "";
    };
    const kept = await send("kept");
    const deleted = await send("deleted");
    gateway.pool.forget(deleted);
    await gateway.engine.deleteSession(deleted);
    const other = await send("other");
    expect(other).not.toBe(deleted);
    expect(await send("kept")).toBe(kept);
    expect(await sessionIds(gateway)).toEqual([kept, other].toSorted());
    expect(gateway.incidents).toEqual([]);
  });
});

describe("a session that was closed while its request was on the way", () => {
  test("is branched, not rewound, by another request while the reply is awaited", async () => {
    const gateway = gatewayTurns({ maxOpenSessions: 1 });
    await gateway.exchange(asking(steps("a", 2), { headers: MINE }));
    const awaited = await gateway.turns.begin(asking(steps("a", 4), { headers: MINE }));
    await gateway.exchange(asking(steps("b", 2), { headers: { "x-palimpsest-session": "other" } }));
    awaited?.sent();
    await new Promise(setImmediate);
    const parting = [...steps("a", 2), ...steps("fork", 1).slice(1)];
    await gateway.exchange(asking(parting, { headers: MINE }));
    awaited?.end({ status: 200, isComplete: true });
    const log = await (await gateway.engine.session("mine")).log();
    expect(log).toHaveLength(9);
    expect(await sessionIds(gateway)).toHaveLength(3);
  });
});

describe("a session whose first message another gateway writes at this moment", () => {
  test("is the session of the next request, too", async () => {
    const store = memoryStore();
    const other = gatewayTurns({ store });
    await other.engine.session("mine");
    let [isRead, isWritten] = [false, false];
    const writtenOnceRead: Store = {
      ...store,
      read: async (...call) => {
        const records = await store.read(...call);
        isRead = true;
        return records;
      },
      find: async (sessionId) => {
        if (isRead && !isWritten) {
          isWritten = true;
          await other.exchange(asking(steps("a", 0), { headers: MINE }));
        }
        return store.find(sessionId);
      },
    };
    const gateway = gatewayTurns({ store: writtenOnceRead });
    await gateway.exchange(asking(steps("a", 1), { headers: MINE }));
    expect(isWritten).toBe(true);
    expect(await sessionIds(gateway)).toEqual(["mine"]);
    expect(await (await gateway.engine.session("mine")).log()).toHaveLength(3);
  });
});
