import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { prose } from "../../../test/support/sessions.ts";
import { engineOn, seen, sessionOn } from "../../../test/support/stored-sessions.ts";
import type { Message, Session, Store } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { isRewrite, parseRecord } from "./journal/log-record.ts";

/** What is done to a session, by turns. */
type Act =
  | { readonly type: "turn"; readonly messages: number; readonly tokens: number }
  | { readonly type: "observe"; readonly tokens: number }
  | { readonly type: "calibrate"; readonly tokens: number }
  | { readonly type: "rewind"; readonly records: number }
  | { readonly type: "restore" | "condense" | "recall" | "statement" | "mark" | "look" };

const turn = fc.record({
  type: fc.constant("turn" as const),
  messages: fc.integer({ min: 1, max: 3 }),
  tokens: fc.integer({ min: 20, max: 400 }),
});
const tokens = fc.integer({ min: 500, max: 9_000 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: turn },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("observe" as const), tokens }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("calibrate" as const), tokens }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("rewind" as const), records: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("restore", "condense", "recall", "statement", "mark", "look") }),
  },
);

/** A call of a tool with its result, or words; what they say depends on their number alone. */
function messagesFrom(first: number, { messages, tokens: size }: Extract<Act, { type: "turn" }>): readonly Message[] {
  return Array.from({ length: messages }, (_, index) => first + index).flatMap((number): readonly Message[] => {
    if (number % 7 === 0) return [user(prose(size / 4, `ask ${number}`)), assistant(prose(30, `answer ${number}`))];
    const path = `src/file-${number % 12}.ts`;
    return [
      assistant(call(`t${number}`, "read_file", { path })),
      user(result(`t${number}`, prose(size, `file ${number}`))),
    ];
  });
}

/** Does it, and tells all that can be seen of it. */
async function perform(session: Session, act: Act, number: number): Promise<unknown> {
  switch (act.type) {
    case "turn":
      await session.append(...messagesFrom(number * 10, act));
      return session.prepare();
    case "observe":
      return session.observe({ inputTokens: act.tokens, outputTokens: 10 });
    case "calibrate":
      return session.calibrate({ inputTokens: act.tokens, outputTokens: 10 });
    case "rewind":
      return session.rewind({ toVersion: Math.max(0, (await session.version()) - act.records) });
    case "restore": {
      const fold = (await session.folds()).at(-1);
      if (fold !== undefined) await session.restore(fold.foldId);
      return session.prepare();
    }
    case "condense":
      return session.condense();
    case "recall":
      return session.recall("what does file 4 say about apples");
    case "statement":
      return session.statement();
    case "mark": {
      const id = (await session.log()).find((message) => message.id !== undefined)?.id;
      return id === undefined ? undefined : session.mark(id, { important: true });
    }
    case "look":
      return [await session.view(), await session.version(), await session.prepare()];
  }
}

const LINEAGE = { scopeId: "task", ownName: "agent:2", parentName: "agent:1", keys: ["l:1"] };

/** A session long enough that opening it from a saved state is worth it, and of more than one segment. */
async function longSession(store: Store, beginning: readonly Act[]): Promise<void> {
  const session = await sessionOn(store);
  await session.recordLineage(LINEAGE);
  for (let number = 0; number < 60; number++) {
    await perform(session, { type: "turn", messages: 5, tokens: 150 + (number % 5) * 40 }, number);
    if (number % 3 === 0) session.observe({ inputTokens: 1_500 + 20 * number, outputTokens: 20 });
  }
  await session.condense();
  for (const [index, act] of beginning.entries()) await perform(session, act, 100 + index);
  await session.append(assistant("So far."));
  await session.events();
  await stateSaved();
  session.close();
}

/** It is saved when nobody waits: one turn of the event loop later. */
const stateSaved = () => setTimeout(20);

/** A long session that goes on until its state is saved: on a busy machine, the moment in which nobody waits may be one in which events are not kept yet. */
async function savedSession(store: Store, beginning: readonly Act[]): Promise<void> {
  await longSession(store, beginning);
  const session = await sessionOn(store);
  while ((await stateOf(store)) === undefined) {
    await session.append(assistant("And further."));
    await session.events();
    await stateSaved();
  }
  session.close();
}

/** The same records in a store of their own, with the saved state that is given, or with none. */
async function copyOf(store: Store, stateBody?: string): Promise<Store> {
  const copy = memoryStore();
  const [from, to] = [await store.open("task"), await copy.open("task")];
  const records = (await store.read(from.key)).map(({ body }) => {
    const record = parseRecord(body);
    return { body, isRewrite: record !== undefined && isRewrite(record) };
  });
  await copy.append(to.key, records);
  if (stateBody === undefined) return withoutStates(copy);
  await copy.savedStates?.save(to.key, { version: (await stateOf(store))?.version ?? 0, body: stateBody });
  return copy;
}

function withoutStates({ savedStates: _, ...store }: Store): Store {
  return store;
}

async function stateOf(store: Store) {
  return store.savedStates?.read((await store.open("task")).key);
}

/** Counts what is read of a store's records. */
function counting(store: Store): { readonly store: Store; readonly read: () => number } {
  let read = 0;
  const counted: Store = {
    ...store,
    read: async (key, options) => {
      const records = await store.read(key, options);
      read += records.length;
      return records;
    },
  };
  return { store: counted, read: () => read };
}

test("a session that is opened from a saved state goes on byte for byte as one that reads all records", async () => {
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { maxLength: 6 }),
      fc.array(acts, { minLength: 1, maxLength: 8 }),
      async (beginning, more) => {
        const store = memoryStore({ now: () => 0 });
        await longSession(store, beginning);
        const state = await stateOf(store);
        if (state !== undefined) opened += 1;
        const [saved, replayed] = [
          await sessionOn(await copyOf(store, state?.body)),
          await sessionOn(await copyOf(store)),
        ];
        for (const [index, act] of more.entries()) {
          const [one, other] = [await perform(saved, act, 200 + index), await perform(replayed, act, 200 + index)];
          expect(JSON.stringify(one)).toBe(JSON.stringify(other));
        }
        expect(await seen(saved)).toEqual(await seen(replayed));
        const [one, other] = [await saved.verify(), await replayed.verify()];
        expect(one).toEqual(other);
        expect(one.type).toBe("intact");
      },
    ),
    propertyRuns(20),
  );
  expect(opened).toBeGreaterThan(0);
});

/** What is done and depends on the messages and folds alone: not on what one process observed, nor on when events are written. */
const lasting = acts.filter(({ type }) => !["observe", "calibrate", "statement", "look", "rewind"].includes(type));

test("a session that was open all the time goes on byte for byte as one that is opened anew", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lasting, { minLength: 1, maxLength: 8 }), async (more) => {
      const store = memoryStore({ now: () => 0 });
      const live = await sessionOn(store);
      for (let number = 0; number < 60; number++) {
        await perform(live, { type: "turn", messages: 5, tokens: 150 + (number % 5) * 40 }, number);
      }
      await live.events();
      const opened = await sessionOn(await copyOf(store));
      for (const [index, act] of more.entries()) {
        const [one, other] = [await perform(live, act, 200 + index), await perform(opened, act, 200 + index)];
        expect(JSON.stringify(one)).toBe(JSON.stringify(other));
      }
      expect(await live.log()).toEqual(await opened.log());
    }),
    propertyRuns(15),
  );
});

describe("a saved state", async () => {
  const store = memoryStore({ now: () => 0 });
  await savedSession(store, []);
  const state = await stateOf(store);
  const body = state?.body ?? "";

  test("is there", () => expect(body).not.toBe(""));

  test("spares reading what it stands for, until somebody looks at what is hidden", async () => {
    const { version } = await store.open("task");
    const { store: counted, read } = counting(await copyOf(store, body));
    const session = await sessionOn(counted);
    await session.prepare();
    await session.append(user("And now?"));
    await session.prepare();
    expect(read()).toBeLessThan(version / 4);
    const log = await session.log();
    expect(read()).toBeGreaterThanOrEqual(version);
    expect(log.slice(0, -1)).toEqual(await (await sessionOn(await copyOf(store))).log());
  });

  test("has the events that decide what is sent, and those that came since", async () => {
    const { version } = await store.open("task");
    const { store: counted, read } = counting(await copyOf(store, body));
    const session = await sessionOn(counted);
    await session.recordLineage(LINEAGE);
    await session.recordClearing({ toolUseIds: ["t1"] });
    const lasting = await session.events(["cleared", "restored", "lineage"]);
    expect(lasting.map(({ type }) => type)).toEqual(["lineage", "cleared"]);
    expect(read()).toBeLessThan(version / 4);
    expect((await session.events()).filter((event) => lasting.some(({ type }) => type === event.type))).toEqual(
      lasting,
    );
  });

  const damages: [string, (text: string) => string][] = [
    ["is no longer what was written", (text) => text.replace("apple", "grape")],
    ["was cut short", (text) => text.slice(0, text.length / 2)],
    ["is empty", () => ""],
    ["is something else", () => '{"format":1}'],
  ];
  test.each(damages)("that %s is passed over", async (_, damage) => {
    expect(damage(body)).not.toBe(body);
    const { store: counted, read } = counting(await copyOf(store, damage(body)));
    const session = await sessionOn(counted);
    expect(read()).toBeGreaterThanOrEqual((await store.open("task")).version);
    expect(await seen(session)).toEqual(await seen(await sessionOn(await copyOf(store))));
  });

  test("of other records is passed over", async () => {
    const other = memoryStore({ now: () => 0 });
    await savedSession(other, [{ type: "turn", messages: 1, tokens: 20 }]);
    const foreign = await stateOf(other);
    expect(foreign).toBeDefined();
    const savedStates = { save: async () => undefined, read: async () => foreign };
    const session = await sessionOn({ ...(await copyOf(store)), savedStates });
    expect(await seen(session)).toEqual(await seen(await sessionOn(await copyOf(store))));
  });

  test("that cannot be read or saved harms nothing", async () => {
    const copy = await copyOf(store);
    const fail = () => Promise.reject(new Error("The disk is gone."));
    const session = await sessionOn({ ...copy, savedStates: { save: fail, read: fail } });
    await session.append(user("And now?"));
    await session.prepare();
    await session.condense();
    await stateSaved();
    expect((await session.log()).at(-1)?.content).toBe("And now?");
  });

  test("of a session that others rewrite meanwhile gives way to the records", async () => {
    const copy = await copyOf(store, body);
    const [one, other] = [await sessionOn(copy), await sessionOn(withoutStates(copy))];
    await other.rewind({ toVersion: 40 });
    expect(await one.view()).toEqual(await other.view());
    await other.rewind({ undo: true });
    await other.append(user("More."));
    expect(await seen(one)).toEqual(await seen(other));
  });

  test("stands for records that were changed behind its back: whoever reads them is told", async () => {
    const copy = await copyOf(store, body);
    const changed: Store = {
      ...copy,
      read: async (key, options) =>
        (await copy.read(key, options)).map((row) =>
          row.version === 2 ? { ...row, body: row.body.replace("apple", "grape") } : row,
        ),
    };
    const session = await sessionOn(changed);
    await session.view();
    await expect(session.log()).rejects.toMatchObject({ code: "store-damaged" });
  });

  test("is read by an engine with resolvers as well, which are shown the whole log", async () => {
    const lengths: number[] = [];
    const threshold = ({ messages }: { readonly messages: readonly Message[] }) => {
      lengths.push(messages.length);
      return undefined;
    };
    const session = await engineOn(await copyOf(store, body), { resolvers: { threshold } }).session("task");
    const { length } = await session.log();
    await session.prepare();
    expect(lengths[0]).toBe(length);
  });
});
