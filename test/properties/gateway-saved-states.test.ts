/** A gateway that opens sessions from saved states sends what one that reads all records sends, byte for byte. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message, Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { asking, type GatewayTurns, gatewayTurns, steps, type WireMessage } from "../support/gateway-turns.ts";
import { propertyRuns } from "../support/property-runs.ts";

const NAMED = { "x-palimpsest-session": "mine" };
const WINDOW = 14_000;
const BEFORE = 130;

/** What an agent does next, or what becomes of its gateways. */
type Act =
  | { readonly type: "steps"; readonly count: number; readonly length: number }
  | { readonly type: "edit" | "rewind" | "earlier"; readonly back: number }
  | { readonly type: "again" | "restart" | "other-gateway" | "check" | "restore" | "compacted" | "plain-question" };

const back = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 9, max: 200 }));
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("steps" as const),
      count: fc.integer({ min: 1, max: 4 }),
      length: fc.constantFrom(40, 400, 2_500),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom("edit", "rewind", "earlier"), back }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom("again", "restart", "other-gateway", "check", "restore", "compacted", "plain-question"),
    }),
  },
);

/** A store that remembers what was written to it, so that it can be written again to another one. */
function recordedStore() {
  const store = memoryStore({ now: () => 0 });
  const writes: ((copy: Store) => Promise<unknown>)[] = [];
  let stateWrites = 0;
  const recorded: Store = {
    ...store,
    open: (id) => {
      writes.push((copy) => copy.open(id));
      return store.open(id);
    },
    append: (...call) => {
      writes.push((copy) => copy.append(...call));
      return store.append(...call);
    },
    ...(store.savedStates && {
      savedStates: {
        read: store.savedStates.read,
        save: async (...call) => {
          stateWrites += 1;
          writes.push((copy) => copy.savedStates?.save(...call) ?? Promise.resolve());
          await store.savedStates?.save(...call);
        },
      },
    }),
  };
  async function copy(): Promise<Store> {
    const into = memoryStore({ now: () => 0 });
    for (const write of writes) await write(into);
    return into;
  }
  return { store: recorded, copy, stateWrites: () => stateWrites };
}

/** Counts the records that are read of a store. */
function countReads(store: Store): { readonly store: Store; readonly records: () => number } {
  let records = 0;
  const read: Store["read"] = async (...call) => {
    const found = await store.read(...call);
    records += found.length;
    return found;
  };
  return { store: { ...store, read }, records: () => records };
}

function withoutStates({ savedStates: _, ...store }: Store): Store {
  return store;
}

/** Sends a request and has it answered with a report of its size, as providers give it. */
async function send({ turns, pool }: GatewayTurns, messages: readonly WireMessage[], options: object) {
  const request = asking(messages, options);
  const turn = await turns.begin(request);
  if (turn === undefined) throw new Error("The request holds no conversation.");
  turn.sent();
  const { body } = turn;
  const tokens = Math.ceil((body ?? request.body.toString()).length / 4);
  turn.follower.push(JSON.stringify({ usage: { input_tokens: tokens, output_tokens: 5 } }));
  await new Promise((resolve) => setImmediate(resolve));
  turn.end({ status: 200, isComplete: true });
  await pool.settled();
  return { body, headers: turn.headers() };
}

/** An agent and its gateways on one store. */
async function run(store: Store, plan: readonly Act[], isNamed: boolean): Promise<unknown> {
  const gateway = () => gatewayTurns({ store, window: WINDOW });
  const gateways = [gateway(), gateway()];
  let used = 0;
  const headers = isNamed ? NAMED : {};
  let messages = beginning();
  const seen: unknown[] = [];
  for (const [number, act] of plan.entries()) {
    const current = gateways[used] ?? gateway();
    const ask = async (sent: readonly WireMessage[], more: object = {}) =>
      void seen.push(await send(current, sent, { headers, ...more }));
    switch (act.type) {
      case "steps":
        messages = [...messages, ...steps(`more${number}`, act.count, { resultLength: act.length }).slice(1)];
        await ask(messages);
        break;
      case "edit":
        messages = messages.map((message, place) =>
          place === messages.length - act.back
            ? JSON.parse(JSON.stringify(message).replace("export const value0", `export const edited${number}`))
            : message,
        );
        await ask(messages);
        break;
      case "rewind":
        messages = [
          ...messages.slice(0, evenly(messages.length - act.back)),
          ...steps(`other${number}`, 1, { resultLength: 100 }).slice(1),
        ];
        await ask(messages);
        break;
      case "earlier":
        await ask(messages.slice(0, evenly(messages.length - act.back)));
        break;
      case "compacted":
        messages = [{ role: "user", content: `Summary ${number} of what was done.` }, ...messages.slice(-4)];
        await ask(messages);
        break;
      case "again":
        await ask(messages);
        break;
      case "check":
        await ask([...messages, { role: "user", content: "Are we done?" }], { path: "/v1/messages/count_tokens" });
        break;
      case "plain-question":
        await ask([...messages, { role: "assistant", content: "So far." }, { role: "user", content: "A title?" }], {
          tools: [],
        });
        break;
      case "restart":
        gateways[used] = gateway();
        break;
      case "other-gateway":
        used = 1 - used;
        break;
      case "restore":
        await restoreNewest(current, store);
    }
    for (const { incidents } of gateways) expect(incidents).toEqual([]);
  }
  return { seen, logs: await logsOf(store) };
}

const beginning = (): readonly WireMessage[] => steps("a", BEFORE, { resultLength: 700 });

/** A place behind results: what comes next is the agent's. */
function evenly(place: number): number {
  const least = Math.max(1, place);
  return least % 2 === 0 ? least - 1 : least;
}

async function restoreNewest({ pool }: GatewayTurns, store: Store): Promise<void> {
  const [newest] = await store.list();
  if (newest === undefined) return;
  const session = await pool.conversation(newest.id).session();
  const fold = (await session.folds()).at(-1);
  if (fold !== undefined) await session.restore(fold.foldId);
}

/** The logs of all sessions, without the moments at which messages came. */
async function logsOf(store: Store): Promise<unknown> {
  const { engine } = gatewayTurns({ store: withoutStates(store) });
  const listed = await store.list();
  const ids = listed.map(({ id }) => id).toSorted();
  return Promise.all(
    ids.map(async (id) => {
      const session = await engine.session(id);
      expect((await session.verify()).type).toBe("intact");
      return { id, log: (await session.log()).map(({ ts: _, ...message }: Message) => message) };
    }),
  );
}

/** A session with folds, a request at a time, and with a state that stands for most of it. */
async function longSession(isNamed: boolean) {
  const recorded = recordedStore();
  const gateway = gatewayTurns({ store: recorded.store, window: WINDOW });
  const all = beginning();
  for (let count = 3; count < all.length; count += 2) {
    await send(gateway, all.slice(0, count), { headers: isNamed ? NAMED : {} });
  }
  return recorded;
}

const named = await longSession(true);

test("a request that goes on, and the same one again, are served without what is hidden", async () => {
  const { store, records } = countReads(await named.copy());
  const { version = 0 } = (await store.find("mine")) ?? {};
  const gateway = gatewayTurns({ store, window: WINDOW });
  const more = [...beginning(), ...steps("more", 1, { resultLength: 40 }).slice(1)];
  for (const messages of [beginning(), more, more]) {
    const { body } = await send(gateway, messages, { headers: NAMED });
    expect(body).toMatch(/hidden in fold|Ledger of the earlier conversation/);
  }
  await send(gateway, more, { headers: NAMED, path: "/v1/messages/count_tokens" });
  expect(records()).toBeLessThan(version / 4);
  // An edit of what is hidden is seen only in the log itself.
  const edited = more.map((message, place) =>
    place === 0 ? { ...message, content: "Fix the login tests." } : message,
  );
  await send(gateway, edited, { headers: NAMED });
  expect(records()).toBeGreaterThanOrEqual(version);
});

test("a gateway that opens sessions from saved states sends the bytes of one that reads all records", async () => {
  const unnamed = await longSession(false);
  expect(Math.min(named.stateWrites(), unnamed.stateWrites())).toBeGreaterThan(0);
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 9 }), fc.boolean(), async (plan, isNamed) => {
      const { copy } = isNamed ? named : unnamed;
      const opened = await run(await copy(), plan, isNamed);
      expect(opened).toEqual(await run(withoutStates(await copy()), plan, isNamed));
    }),
    propertyRuns(25),
  );
});
