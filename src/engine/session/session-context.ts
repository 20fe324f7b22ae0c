import type { CountTokens } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { OffloadFiles } from "../../core/ports/offload.ts";
import type { Acknowledge, Store, StoredSession } from "../../core/ports/store.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import type { CompareMeaning } from "./compare-meaning.ts";
import type { LogRecord } from "./journal/log-record.ts";
import type { LiveSession } from "./live-session.ts";
import type { PromptState } from "./prompt-state.ts";
import type { RequestKeeper } from "./requests/request-keeper.ts";
import type { Session } from "./session.ts";
import type { SessionLog } from "./session-log.ts";

/** What a session needs of its engine. */
export interface SessionPorts {
  readonly condensation: CondensationPorts;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** The store that keeps it, and its entry there; undefined where it lives in memory alone. */
  readonly stored?: { readonly store: Store; readonly session: StoredSession } | undefined;
  /** When messages and the records of requests count as kept. */
  readonly acknowledge: Acknowledge;
  /** Takes large tool outputs that are folded; undefined where they stay in the log alone. */
  readonly offload?: OffloadFiles | undefined;
  /** Ranks by meaning what recall finds by words; undefined where there is no embedder. */
  readonly compareMeaning?: CompareMeaning | undefined;
  /** Makes another session of these records. */
  readonly branch: (id: string, records: readonly LogRecord[]) => Promise<Session>;
  /** Called when the session is closed, or turns out to be deleted. */
  readonly closed?: () => void;
}

/** What the operations of a session share. */
export interface SessionContext {
  readonly ports: SessionPorts;
  readonly live: LiveSession;
  readonly state: PromptState;
  readonly requests: RequestKeeper;
  readonly enqueue: Enqueue;
}

/** One operation after the other, each on what others wrote before it; what it tells about itself is kept at its end. */
export type Enqueue = <Value>(operation: () => Promise<Value>) => Promise<Value>;

export function createLogQueue(log: SessionLog): Enqueue {
  const queue = createQueue();
  return (operation) =>
    queue(async () => {
      await log.refresh();
      try {
        return await operation();
      } finally {
        await log.flush();
      }
    });
}

/** Runs one task after the other, in the order in which they came; one that fails does not hold up the next. */
export function createQueue(): <Value>(task: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}
