import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { FoundRecord, Store, StoredRecord } from "../../core/ports/store.ts";
import { searchTerms } from "../../core/recall/message-terms.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex } from "../../core/recall/recall-index.ts";
import type { CompareMeaning } from "./compare-meaning.ts";
import { readRecord } from "./journal/log-record.ts";

export interface EngineRecallOptions {
  /** The most tokens that all excerpts together may take. @default 1_500 */
  readonly budgetTokens?: number | undefined;
  /** The most messages that are ranked: those with most of the query's words. @default 200 */
  readonly maxMessages?: number | undefined;
}

/** An excerpt, and the session that it is from. */
export interface SessionRecallHit extends Omit<RecallHit, "messageIndex" | "shortId" | "foldId"> {
  readonly sessionId: string;
}

const DEFAULT_BUDGET_TOKENS = 1_500;
const DEFAULT_MAX_MESSAGES = 200;
/** Excerpts of several sessions each have a heading; more of them would be mostly headings. */
const MAX_HITS = 10;

/** Finds messages by the store's index, and ranks their passages as the recall of a session does. Throws "invalid-configuration" without a store. */
export async function recallSessions(
  store: Store | undefined,
  query: string,
  options: EngineRecallOptions & {
    readonly countTokens: CountTokens;
    readonly compareMeaning?: CompareMeaning | undefined;
  },
): Promise<readonly SessionRecallHit[]> {
  assert(typeof query === "string", "query", query, "a string");
  assertObject("options", options);
  const { budgetTokens = DEFAULT_BUDGET_TOKENS, maxMessages = DEFAULT_MAX_MESSAGES, countTokens } = options;
  assertNumber("options.maxMessages", maxMessages, 1);
  if (store === undefined) throw needsStore();
  const messages: Message[] = [];
  const sessionIds: string[] = [];
  for (const { sessionKey, sessionId, version } of await store.search(searchTerms(query), { limit: maxMessages })) {
    const row = await readOne(store, { sessionKey, version });
    if (row === undefined) continue;
    const record = readRecord(row.body, { sessionId, version });
    if (record.type !== "message") continue;
    messages.push(record.message);
    sessionIds.push(sessionId);
  }
  const index = createRecallIndex(messages, { scope: "all", isContinuous: false, countTokens });
  const similarities = await options.compareMeaning?.(index, query);
  const hits = index.recall(query, { budgetTokens, maxHits: MAX_HITS, similarities });
  return hits.map(({ messageIndex, shortId: _, foldId: __, ...hit }) => ({
    ...hit,
    sessionId: sessionIds[messageIndex] ?? "",
  }));
}

/** Reads one record; undefined where its session was deleted meanwhile. */
async function readOne(
  store: Store,
  { sessionKey, version }: Pick<FoundRecord, "sessionKey" | "version">,
): Promise<StoredRecord | undefined> {
  try {
    const [row] = await store.read(sessionKey, { afterVersion: version - 1, limit: 1 });
    return row;
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "not-found") return undefined;
    throw error;
  }
}

function needsStore(): PalimpsestError {
  return new PalimpsestError(
    "invalid-configuration",
    "Searching all sessions needs a store. Pass one to createEngine, for example sqliteStore() of palimpsest/stores/sqlite.",
  );
}
