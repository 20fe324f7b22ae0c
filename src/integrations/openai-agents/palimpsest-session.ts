import { assert, assertArray } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { type AgentsConversation, checkConversation } from "./options.ts";

/** A session for `run` and `runner.run`. Its items have the SDK's own type. */
export interface PalimpsestSession {
  getSessionId(): Promise<string>;
  /** Returns all items, or the newest `limit` of them, oldest first and exactly as they were added. */
  getItems<Item extends object>(limit?: number): Promise<Item[]>;
  /** Resolves when all items are recorded: with a store, when they are durable. */
  addItems(items: object[]): Promise<void>;
  /** Removes the newest item and returns it; undefined if there is none. */
  popItem<Item extends object>(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
}

/** The types of the log's entries. The log only grows: removing items adds an entry. */
const ADDED = "openai_agents_item";
const POPPED = "openai_agents_pop";
const CLEARED = "openai_agents_clear";

/** Other processes may write at the same time: then the log is read again. */
const MAX_TRIES = 50;

/**
 * A session of the SDK that is kept by an engine: with a store, it survives a restart, and several processes may write to it. Its items are kept in the
 * engine's session `<sessionId>/items`, beside the session of `palimpsestProvider`.
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

/** The items of a session, kept as a log of changes. */
interface ItemLog {
  read(): Promise<readonly object[]>;
  /** Appends the entries that `next` makes of the current items, and returns these items. Tries again if others wrote in between. */
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
  // The item is kept whole, also if no model would take it: the role only has to be valid.
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

/** Copies of the items, as the SDK may change what it gets. */
function copiesOf<Item extends object>(items: readonly object[]): Item[] {
  return items.map((item) => structuredClone(item)).filter(isItem<Item>);
}

/** Only items that the SDK added are in the log. */
function isItem<Item extends object>(item: object): item is Item {
  return isRecord(item);
}
