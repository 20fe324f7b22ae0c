import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, incomingOf, steps, type WireMessage } from "../../../test/support/gateway-turns.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Session } from "../../engine/session/session.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createActivityFeed } from "../activity.ts";
import { matchSession } from "../match/match-session.ts";
import { createPacerPool } from "../pacer.ts";
import { createSessionIndex } from "../sessions/session-pool.ts";
import { record } from "./record.ts";

const MINE = { "x-palimpsest-session": "mine" };
const WINDOW = 16_000;
const ASKED = ["snapshot", "view", "log", "folds", "appendAfter", "update", "rewind", "prepare"];

/** A gateway, and what it asks of the sessions that requests belong to, in order. */
function watchedTurns() {
  const asked: string[] = [];
  const wrapSession = (session: Session): Session =>
    new Proxy(session, {
      get: (target, name, receiver) => {
        if (ASKED.includes(String(name))) asked.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
  const gateway = gatewayTurns({ window: WINDOW, wrapSession });
  const send = async (messages: readonly WireMessage[]) => {
    asked.length = 0;
    const turn = await gateway.exchange(asking(messages, { headers: MINE }));
    expect(gateway.incidents).toEqual([]);
    return { turn, asked: [...asked] };
  };
  return { send };
}

const talk = (count: number) => steps("a", count, { resultLength: 2_000 });

describe("what a request asks of its session", () => {
  test("a look to find it, and one after it was folded", async () => {
    const { send } = watchedTurns();
    await send(talk(2));
    const { turn, asked } = await send(talk(20));
    expect(turn.body).toContain("hidden in fold");
    expect(asked).toEqual(["snapshot", "appendAfter", "prepare", "snapshot"]);
  });

  test("no look between the parts that a long conversation is written in", async () => {
    const { send } = watchedTurns();
    const { asked } = await send(talk(160));
    const parts = asked.filter((name) => name === "appendAfter");
    expect(parts.length).toBeGreaterThan(2);
    expect(asked).toEqual(["snapshot", ...parts, "prepare", "snapshot"]);
  });

  test("one look more after something was written in other words", async () => {
    const { send } = watchedTurns();
    await send(talk(20));
    const edited = talk(20).map((message, place) =>
      place === 6 ? JSON.parse(JSON.stringify(message).replace("The secret", "Again the secret")) : message,
    );
    expect((await send(edited)).asked).toEqual(["snapshot", "snapshot", "update", "snapshot"]);
  });

  test("one look more before a rewind", async () => {
    const { send } = watchedTurns();
    await send(talk(20));
    const parted = [...talk(20).slice(0, 31), ...steps("b", 5).slice(1)];
    const rewinding = ["snapshot", "snapshot", "rewind", "snapshot", "appendAfter", "prepare", "snapshot"];
    expect((await send(parted)).asked).toEqual(rewinding);
  });
});

test("a request is written by the alignment that its session was found by", async () => {
  const { store, pool, exchange } = gatewayTurns();
  await exchange(asking(talk(2)));
  const ports = {
    store,
    pool,
    index: createSessionIndex(),
    feed: createActivityFeed(),
    now: () => 0,
    pacers: createPacerPool(),
  };
  const incoming = incomingOf(talk(3));
  const match = await matchSession(incoming, ports);
  const known = match.type === "continue" ? match.aligned : undefined;
  expect(known?.alignment).toEqual({ type: "continues", edited: [] });
  const again = await matchSession(incoming, ports, { known });
  expect(again.type === "continue" && again.aligned.alignment).toBe(known?.alignment);
  const outcome = await record(incoming, match, { ...ports, use: async ({ aligned }) => aligned });
  expect(outcome.type === "recorded" && outcome.value.alignment).toBe(known?.alignment);
});

test("what another gateway wrote since a request was matched is not written once more", async () => {
  const shared = memoryStore();
  const [gateway, other] = [gatewayTurns({ store: shared }), gatewayTurns({ store: shared })];
  await gateway.exchange(asking(talk(2)));
  const incoming = incomingOf(talk(3));
  const { pool } = gateway;
  const [index, feed, pacers] = [createSessionIndex(), createActivityFeed(), createPacerPool()];
  const ports = { store: shared, pool, index, feed, pacers, now: () => 0 };
  const match = await matchSession(incoming, ports);
  expect(match.type).toBe("continue");
  await other.exchange(asking(talk(3)));
  const outcome = await record(incoming, match, { ...ports, use: async ({ conversation }) => conversation });
  const session = outcome.type === "recorded" ? await outcome.value.session() : undefined;
  expect(await session?.log()).toHaveLength(incoming.messages.length);
});

test("the parts of a long conversation are never written behind what another gateway wrote in between", async () => {
  const shared = memoryStore();
  const other = gatewayTurns({ store: shared });
  const long = (name: string): WireMessage => ({ role: "user", content: name.repeat(20_000) });
  const mine = [long("first "), long("second "), { role: "assistant", content: "Done." } as const, long("third ")];
  const theirs = [...mine.slice(0, 1), { role: "user", content: "Go on with mine." } as const];
  let isDisturbed = false;
  const after = async (call: keyof Store) => {
    if (call !== "append" || isDisturbed) return;
    isDisturbed = true;
    await other.exchange(asking(theirs, { headers: MINE }));
  };
  const gateway = gatewayTurns({ store: interceptStore(shared, { after }), window: 1_000_000 });
  await gateway.exchange(asking(mine, { headers: MINE }));
  expect(isDisturbed).toBe(true);
  expect([gateway.incidents, other.incidents]).toEqual([[], []]);

  const said = [mine, theirs].map((messages) => messages.map(({ content }) => content));
  for (const { id } of await gateway.engine.sessions()) {
    const log = (await (await gateway.engine.session(id)).log()).map(({ content }) => content);
    expect(
      said.some((contents) => log.every((content, index) => content === contents[index])),
      `the log of ${id} is what one of the requests says`,
    ).toBe(true);
  }
});
