import { describe, expect, test } from "vitest";
import {
  asking,
  type GatewayTurns,
  gatewayTurns,
  incomingOf,
  steps,
  type WireMessage,
} from "../../../test/support/gateway-turns.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Session } from "../../engine/session/session.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createActivityFeed } from "../activity.ts";
import { matchSession, type SessionMatch } from "../match/match-session.ts";
import { createPacerPool } from "../pacer.ts";
import { createSessionIndex } from "../sessions/session-index.ts";
import { type Recorded, record } from "./record.ts";

const MINE = { "x-palimpsest-session": "mine" };
const WINDOW = 16_000;
const ASKED = ["outline", "snapshot", "view", "log", "folds", "appendAfter", "update", "rewind", "prepare"];

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
/** The ids of its calls are long enough that the conversation is known by them, without a name. */
const distinctiveTalk = (count: number) => steps("distinctive", count);

/** The same conversation with one of its results in other words. */
const inOtherWords = (messages: readonly WireMessage[], edited: number): readonly WireMessage[] =>
  messages.map((message, place) =>
    place === edited ? JSON.parse(JSON.stringify(message).replace("The secret", "Again the secret")) : message,
  );

/** What a gateway records with. */
function recordingPorts({ store, pool }: Pick<GatewayTurns, "store" | "pool">) {
  const [index, feed, pacers] = [createSessionIndex(), createActivityFeed(), createPacerPool()];
  return { store, pool, index, feed, pacers, now: () => 0 };
}

/** The changes of sessions that a feed told, in order. */
const changesIn = (activities: GatewayTurns["activities"]) =>
  activities.flatMap((activity) => (activity.type === "session" ? [[activity.sessionId, activity.change]] : []));

describe("what a request asks of its session", () => {
  test("a look to find it, and one after it was folded", async () => {
    const { send } = watchedTurns();
    await send(talk(2));
    const { turn, asked } = await send(talk(20));
    expect(turn.body).toContain("hidden in fold");
    expect(asked).toEqual(["outline", "appendAfter", "prepare", "outline"]);
  });

  test("no look between the parts that a long conversation is written in", async () => {
    const { send } = watchedTurns();
    const { asked } = await send(talk(160));
    const parts = asked.filter((name) => name === "appendAfter");
    expect(parts.length).toBeGreaterThan(2);
    expect(asked).toEqual(["outline", ...parts, "prepare", "outline"]);
  });

  test("one look more after something was written in other words", async () => {
    const { send } = watchedTurns();
    await send(talk(20));
    const edited = inOtherWords(talk(20), 6);
    expect((await send(edited)).asked).toEqual(["outline", "outline", "update", "outline"]);
  });

  test("nothing of that again when those words come once more, with something new behind them", async () => {
    const { send } = watchedTurns();
    await send(talk(20));
    const { asked } = await send(inOtherWords(talk(21), 6));
    expect(asked).toContain("update");
    expect(asked).toContain("appendAfter");
    expect((await send(inOtherWords(talk(22), 6))).asked).not.toContain("update");
  });

  test("parts of 64 messages, or of 40,000 characters", async () => {
    const parts = async (lengths: readonly number[]) => {
      const { send } = watchedTurns();
      const { asked } = await send(
        lengths.map((length, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(length) })),
      );
      return asked.filter((name) => name === "appendAfter").length;
    };
    expect(await parts(Array.from({ length: 129 }, () => 1))).toBe(3);
    expect(await parts([15_000, 15_000, 15_000])).toBe(2);
    expect(await parts([15_000, 15_000, ...Array.from({ length: 11 }, () => 1)])).toBe(2);
  });

  test("one look more before a rewind", async () => {
    const { send } = watchedTurns();
    await send(talk(20));
    const parted = [...talk(20).slice(0, 31), ...steps("b", 5).slice(1)];
    const rewinding = ["outline", "outline", "rewind", "outline", "appendAfter", "prepare", "outline"];
    expect((await send(parted)).asked).toEqual(rewinding);
  });
});

test("a request is written by the alignment that its session was found by", async () => {
  const gateway = gatewayTurns();
  await gateway.exchange(asking(talk(2)));
  const ports = recordingPorts(gateway);
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
  const ports = recordingPorts(gateway);
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

test("every change of a session is told, once and as what it is", async () => {
  const { activities, exchange } = gatewayTurns();
  const parted = [...talk(3).slice(0, 5), ...steps("b", 1).slice(1)];
  const edited = (count: number) => inOtherWords(talk(count), 6);
  // the last one goes on with what the one before it took back
  for (const messages of [talk(2), talk(3), edited(3), edited(3), parted, edited(4)]) {
    await exchange(asking(messages, { headers: MINE }));
  }
  const branchId = expect.stringMatching(/^mine~/);
  expect(changesIn(activities)).toEqual([
    ["mine", "created"],
    ["mine", "appended"],
    ["mine", "updated"],
    ["mine", "rewound"],
    ["mine", "appended"],
    [branchId, "created"],
    [branchId, "appended"],
  ]);
});

describe("what a request says", () => {
  test("is held until its reply has ended, and not where it could not be used", async () => {
    const gateway = gatewayTurns();
    const ports = recordingPorts(gateway);
    const incoming = incomingOf(talk(2));
    let uses = 0;
    const outcome = await record(incoming, await matchSession(incoming, ports), {
      ...ports,
      use: async (recorded) => {
        expect(recorded.conversation.heldMessages()).toBe(incoming.messages.length);
        uses += 1;
        return uses === 1 ? undefined : recorded;
      },
    });
    if (outcome.type !== "recorded") throw new Error("It was not recorded.");
    const { conversation, lease } = outcome.value;
    expect(conversation.heldMessages()).toBe(incoming.messages.length);
    lease.dispose();
    expect(conversation.heldMessages()).toBe(0);
  });

  test("is given up, and held no more, where others never stop to write", async () => {
    const gateway = gatewayTurns();
    const ports = recordingPorts(gateway);
    const incoming = incomingOf(talk(2));
    let uses = 0;
    const use = async () => {
      uses += 1;
      return undefined;
    };
    const recording = record(incoming, await matchSession(incoming, ports), { ...ports, use });
    await expect(recording).rejects.toMatchObject({ code: "conflict" });
    expect(uses).toBe(6);
    const [session] = await gateway.engine.sessions();
    expect(gateway.pool.conversation(session?.id ?? "").heldMessages()).toBe(0);
  });

  test("is found by each of its messages, also by the newest ones in other words", async () => {
    const gateway = gatewayTurns();
    const ports = recordingPorts(gateway);
    const use = async ({ conversation, lease }: Recorded) => {
      lease.dispose();
      return conversation.id;
    };
    const [first, edited] = [incomingOf(distinctiveTalk(3)), incomingOf(inOtherWords(distinctiveTalk(3), 4))];
    for (const incoming of [first, edited]) {
      const outcome = await record(incoming, await matchSession(incoming, ports), { ...ports, use });
      const ids = outcome.type === "recorded" ? [outcome.value] : [];
      expect(incoming.fingerprints.map((key) => ports.index.find(key))).toEqual(incoming.fingerprints.map(() => ids));
      const log = await (await gateway.engine.session(String(ids[0]))).log();
      expect(log.map(({ content }) => content)).toEqual(incoming.messages.map(({ content }) => content));
    }
  });

  test("is not written where a longer conversation has it already", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(distinctiveTalk(3)));
    const ports = recordingPorts(gateway);
    const incoming = incomingOf(distinctiveTalk(2));
    const use = async () => "written";
    const outcome = await record(incoming, await matchSession(incoming, ports), { ...ports, use });
    expect(outcome.type).toBe("replay");
  });

  test("is in a log as a whole, also where another gateway wrote something else behind what was matched", async () => {
    const shared = memoryStore();
    const [gateway, other] = [gatewayTurns({ store: shared }), gatewayTurns({ store: shared })];
    await gateway.exchange(asking(distinctiveTalk(2)));
    const ports = recordingPorts(gateway);
    const incoming = incomingOf(distinctiveTalk(3));
    const match = await matchSession(incoming, ports);
    await other.exchange(
      asking([...distinctiveTalk(2), { role: "assistant", content: "Done." }, { role: "user", content: "Go on." }]),
    );
    const use = async ({ conversation }: Recorded) =>
      (await (await conversation.session()).log()).map(({ content }) => content);
    expect(await record(incoming, match, { ...ports, use })).toEqual({
      type: "recorded",
      value: incoming.messages.map(({ content }) => content),
    });
  });
});

test("a session that another gateway deleted since the request was matched is made again", async () => {
  const shared = memoryStore();
  const [gateway, other] = [gatewayTurns({ store: shared }), gatewayTurns({ store: shared })];
  await gateway.exchange(asking(talk(2)));
  const ports = recordingPorts(gateway);
  const incoming = incomingOf(talk(3));
  const match = await matchSession(incoming, ports);
  const [session] = await other.engine.sessions();
  await other.engine.deleteSession(session?.id ?? "");
  const outcome = await record(incoming, match, { ...ports, use: async ({ conversation }) => conversation });
  expect(outcome.type).toBe("recorded");
  const log = await (await other.engine.session(session?.id ?? "")).log();
  expect(log).toHaveLength(incoming.messages.length);
});

describe("the same request twice at once", () => {
  const parted = [...distinctiveTalk(3).slice(0, 5), ...steps("b", 1).slice(1)];

  /** A session that a request diverges from, matched by both of its copies. */
  async function matchedTwice(holds: boolean) {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(distinctiveTalk(3)));
    const ports = recordingPorts(gateway);
    const changes: string[] = [];
    ports.feed.listen((activity) => activity.type === "session" && changes.push(activity.change));
    const [session] = await gateway.engine.sessions();
    if (holds) gateway.pool.conversation(session?.id ?? "").hold(7);
    const incoming = incomingOf(parted);
    const matches = [await matchSession(incoming, ports), await matchSession(incoming, ports)];
    const write = (match: SessionMatch) =>
      record(incoming, match, {
        ...ports,
        use: async ({ conversation }) => (await (await conversation.session()).log()).map(({ content }) => content),
      });
    return { matches, changes, write, said: parted.map(({ content }) => content) };
  }

  test("rewinds the session once", async () => {
    const { matches, changes, write, said } = await matchedTwice(false);
    for (const match of matches) {
      expect(match.type).toBe("rewind");
      expect(await write(match)).toEqual({ type: "recorded", value: said });
    }
    expect(changes).toEqual(["rewound", "appended"]);
  });

  test("makes one branch", async () => {
    const { matches, changes, write, said } = await matchedTwice(true);
    for (const match of matches) {
      expect(match.type).toBe("branch");
      expect(await write(match)).toEqual({ type: "recorded", value: said });
    }
    expect(changes).toEqual(["created", "appended"]);
  });
});
