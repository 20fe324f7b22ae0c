import type { Store } from "../../core/ports/store.ts";
import type { RecalledReply } from "../../core/ports/wire-recall.ts";
import { readRecord } from "../../engine/session/journal/log-record.ts";
import type { RecalledExchange } from "../../engine/session/report.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { replyKey } from "./reply-key.ts";

/** The full content of replies within which calls of the recall tool were answered: agents only have the part that they were shown. */
export interface RecalledReplies {
  /**
   * Finds the full replies of a request, by the index of the message that the agent has instead. If the store does not answer, only replies that
   * this gateway has in memory are found. Never rejects.
   */
  find(incoming: IncomingRequest, api: string): Promise<ReadonlyMap<number, RecalledReply>>;
  /** Records a full reply in its session. This gateway finds it at once; other gateways find it when the promise has resolved. */
  keep(conversation: Conversation, exchange: RecalledExchange): Promise<void>;
}

export interface RecalledRepliesOptions {
  /** Finds the replies of other gateways. It must reject if it cannot answer: a key that it does not find is not looked up again. */
  readonly store: Pick<Store, "search" | "read">;
  /** Called with what failed, and never with content. */
  readonly incident: (what: string, error: unknown) => void;
}

/** The most keys in memory, also those that stand for no reply. Beyond it the oldest are dropped, and looked up again when needed. */
const MOST_KEYS = 100_000;
const SEARCHED_KEYS = 100;

export function createRecalledReplies({ store, incident }: RecalledRepliesOptions): RecalledReplies {
  const known = new Map<string, RecalledExchange | undefined>();

  function learn(key: string, exchange: RecalledExchange | undefined): void {
    // The first reply of a key stays: what was sent upstream once must be sent again as the same bytes.
    if (known.get(key) === undefined) known.set(key, exchange);
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KEYS) break;
      known.delete(oldest);
    }
  }

  async function lookUp(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += SEARCHED_KEYS) {
      const searched = keys.slice(start, start + SEARCHED_KEYS);
      const exchanges = await searchStore(store, searched);
      for (const key of searched) learn(key, exchanges.get(key));
    }
  }

  return {
    find: async (incoming, api) => {
      const keys = incoming.messages.map((_, index) => replyKey(incoming, index));
      const unknown = keys.filter((key) => key !== undefined && !known.has(key));
      const lookedUp = lookUp(unknown.flatMap((key) => key ?? []));
      await lookedUp.catch((error: unknown) => incident("recall", error));
      const replies = new Map<number, RecalledReply>();
      for (const [index, key] of keys.entries()) {
        const exchange = key === undefined ? undefined : known.get(key);
        if (exchange?.api === api) replies.set(index, exchange);
      }
      return replies;
    },
    keep: async (conversation, exchange) => {
      learn(exchange.key, exchange);
      await (await conversation.session()).recordRecall(exchange);
    },
  };
}

/** Looks up replies in the store. Of several with one key, every gateway takes the same: the oldest of the session whose id sorts first. */
async function searchStore(
  store: RecalledRepliesOptions["store"],
  keys: readonly string[],
): Promise<ReadonlyMap<string, RecalledExchange>> {
  const found = await store.search(keys);
  const ordered = found.toSorted(
    (one, other) => compare(one.sessionId, other.sessionId) || one.version - other.version,
  );
  const exchanges = new Map<string, RecalledExchange>();
  for (const { sessionKey, sessionId, version } of ordered) {
    const [stored] = await store.read(sessionKey, { afterVersion: version - 1, limit: 1 });
    const record = stored && readRecord(stored.body, { sessionId, version });
    if (record?.type !== "event" || record.event.type !== "recalled") continue;
    if (!exchanges.has(record.event.key)) exchanges.set(record.event.key, record.event);
  }
  return exchanges;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
