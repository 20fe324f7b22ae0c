import type { CountTokens } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { OffloadFiles } from "../../core/ports/offload.ts";
import type { Acknowledge, Store, StoredSession } from "../../core/ports/store.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import { createQueue, type Enqueue } from "../queue.ts";
import type { CompareMeaning } from "./compare-meaning.ts";
import type { LogRecord } from "./journal/log-record.ts";
import type { LiveSession } from "./live-session.ts";
import type { PromptState } from "./prompt-state.ts";
import type { RequestKeeper } from "./requests/request-keeper.ts";
import type { Session } from "./session.ts";
import type { SessionLog } from "./session-log.ts";

/** What an engine gives to each of its sessions. */
export interface SessionPorts {
  readonly condensation: CondensationPorts;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** The store that keeps the session, and the session's entry there; undefined where the session lives in memory alone. */
  readonly stored?: { readonly store: Store; readonly session: StoredSession } | undefined;
  /** When messages and the records of requests count as kept. */
  readonly acknowledge: Acknowledge;
  /** Writes large tool outputs that are folded to files; undefined where they stay in the log alone. */
  readonly offload?: OffloadFiles | undefined;
  /** Ranks what recall finds by meaning, too; undefined where there is no embedder. */
  readonly compareMeaning?: CompareMeaning | undefined;
  /** Creates another session that begins with these records. */
  readonly branch: (id: string, records: readonly LogRecord[]) => Promise<Session>;
  /** Called when the session is closed, or when another process has deleted it. */
  readonly onClosed?: () => void;
}

/** The parts of a session that its groups of operations share. */
export interface SessionContext {
  readonly ports: SessionPorts;
  readonly live: LiveSession;
  readonly state: PromptState;
  readonly requests: RequestKeeper;
  /** See `createLogQueue`. */
  readonly enqueue: Enqueue;
}

/**
 * Runs one operation on a log at a time. Before each, the log takes in what other processes wrote; after each, also one that failed, the events
 * that it recorded are written.
 */
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
