import { assert, assertArray } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { type AgentsConversation, checkConversation } from "./options.ts";

/** Fits `session` of `run` and `runner.run`. Its items are of the SDK's type, whichever that is. */
export interface PalimpsestSession {
  getSessionId(): Promise<string>;
  /** All items, or the newest of them, oldest first: exactly as they were added. */
  getItems<Item extends object>(limit?: number): Promise<Item[]>;
  /** Resolves when all of them are kept: with a store, when they are durable. */
  addItems(items: object[]): Promise<void>;
  /** Takes the newest item away and returns it. */
  popItem<Item extends object>(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
}

/** What is done to the list of items, one after the other. The log only grows: what is taken away is noted. */
const ADDED = "openai_agents_item";
const POPPED = "openai_agents_pop";
const CLEARED = "openai_agents_clear";

/** Others may write at the same time: then there is another log to add to. */
const MAX_TRIES = 50;

/**
 * A session of the SDK's, kept by an engine: with a store, it is there after a restart, and several processes may write to it. The items are
 * kept in the engine's session `<sessionId>/items`; that of `palimpsestProvider` is beside it.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestSession } from "palimpsest/openai-agents";
 * const session = palimpsestSession({ engine: createEngine({ model: "gpt-5.4" }), sessionId: "task-42" });
 * await session.addItems([{ role: "user", content: "Why?" }]); // run(agent, "Why?", { session })
 * console.log(await session.getItems()); // [ { role: 'user', content: 'Why?' } ]
 * ```
 */
export function palimpsestSession(options: AgentsConversation): PalimpsestSession {
  checkConversation(options);
  const { read, write } = createItemLog(options);
  return {
    getSessionId: async () => options.sessionId,
    async getItems<Item extends object>(limit?: number): Promise<Item[]> {
      const items = await read();
      if (limit === undefined) return copiesOf<Item>(items);
      assert(typeof limit === "number", "limit", limit, "a number");
      return limit > 0 ? copiesOf<Item>(items.slice(-limit)) : [];
    },
    async addItems(items) {
      assertArray("items", items);
      for (const [at, item] of items.entries()) assert(isRecord(item), `items[${at}]`, item, "an item of the SDK");
      const added = copiesOf<object>(items).map(messageOf);
      await write(() => added);
    },
    async popItem<Item extends object>(): Promise<Item | undefined> {
      const items = await write((all) => (all.length === 0 ? [] : [noteOf(POPPED)]));
      return copiesOf<Item>(items.slice(-1))[0];
    },
    async clearSession() {
      await write((all) => (all.length === 0 ? [] : [noteOf(CLEARED)]));
    },
  };
}

/** The items of a session, kept by what was done to them. */
interface ItemLog {
  read(): Promise<readonly object[]>;
  /** Appends what `next` makes of the items, once nobody else wrote in between; gives back the items that it was made for. */
  write(next: (items: readonly object[]) => readonly Message[]): Promise<readonly object[]>;
}

function createItemLog({ engine, sessionId }: AgentsConversation): ItemLog {
  const logId = `${sessionId}/items`;
  return {
    async read() {
      const session = await engine.session(logId);
      return itemsOf(await session.log());
    },
    async write(next) {
      const session = await engine.session(logId);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { log, version } = await session.snapshot();
        const items = itemsOf(log);
        const added = next(items).map((message, at) => ({ ...message, id: `i${log.length + at}` }));
        if (added.length === 0 || (await session.appendAfter(version, ...added))) return items;
      }
      throw new PalimpsestError(
        "conflict",
        `Others kept writing to the session ${JSON.stringify(logId)}. Add the items again.`,
      );
    },
  };
}

function messageOf(item: object): Message {
  // Whatever the SDK adds is kept, also what no model would take.
  const role = fieldAt(item, "role") === "assistant" ? "assistant" : "user";
  return { role, content: [{ type: ADDED, item }] };
}

function noteOf(type: string): Message {
  return { role: "user", content: [{ type }] };
}

function itemsOf(log: readonly Message[]): readonly object[] {
  let items: object[] = [];
  for (const { content } of log) {
    const [block] = contentBlocks(content);
    const item = fieldAt(block, "item");
    if (block?.type === ADDED && isRecord(item)) items.push(item);
    else if (block?.type === POPPED) items.pop();
    else if (block?.type === CLEARED) items = [];
  }
  return items;
}

/** Copies: the SDK may change what it is given. */
function copiesOf<Item extends object>(items: readonly object[]): Item[] {
  return items.map((item) => structuredClone(item)).filter(isItem<Item>);
}

/** Only items that the SDK added are in the log. */
function isItem<Item extends object>(item: object): item is Item {
  return isRecord(item);
}
