import { assert } from "../../core/assert.ts";
import type { Store } from "../../core/ports/store.ts";
import { assertRetention, type Retention } from "../../core/store/plan-retention.ts";
import type { LineLevel } from "../../engine/configuration/configuration.ts";
import { applyRetention } from "../../engine/retention/apply-retention.ts";
import type { SessionPool } from "../sessions/session-pool.ts";

export interface RetainOptions {
  readonly store: Store;
  readonly retention: Retention | undefined;
  readonly pool: Pick<SessionPool, "isOpen" | "conversation" | "drop">;
  readonly log: (line: string, level: LineLevel) => void;
  readonly incident: (what: string, error: unknown) => void;
  /** Removes the files that a session has outside the store. */
  readonly removeFiles: (sessionId: string) => Promise<void>;
}

export interface Retaining {
  /** Stops the removal. Resolves when a run in progress has ended. */
  stop(): Promise<void>;
}

/** Throws if the retention is invalid, or if the store cannot remove sessions. */
export function assertRetaining({
  store,
  retention,
}: {
  readonly store: Store;
  readonly retention?: Retention | undefined;
}): void {
  if (retention === undefined) return;
  assertRetention("options.retention", retention);
  const isPossible = store.maintenance !== undefined;
  assert(isPossible, "options.retention", retention, "left out where the store cannot be maintained, as in memory");
}

const EVERY_MS = 60 * 60 * 1_000;

/** Removes the sessions that the retention does not keep, now and every hour. Several gateways may do so on one store. */
export function retain({ store, retention, pool, log, incident, removeFiles }: RetainOptions): Retaining {
  if (retention === undefined) return { stop: async () => undefined };
  let running = Promise.resolve();

  async function apply(kept: Retention): Promise<void> {
    const isInUse = (id: string) => pool.isOpen(id) && pool.conversation(id).isInUse();
    const onRemoved = async (id: string) => {
      pool.drop(id);
      await removeFiles(id);
    };
    try {
      const { removed, removedBytes } = await applyRetention({ store, retention: kept, isInUse, onRemoved });
      if (removed.length === 0) return;
      log(`retention: removed ${removed.length} sessions, ${removedBytes} bytes`, "info");
    } catch (error) {
      incident("retention", error);
    }
  }

  const next = () => {
    running = running.then(() => apply(retention));
  };
  next();
  const timer = setInterval(next, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
