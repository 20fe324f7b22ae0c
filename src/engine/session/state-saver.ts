import type { Journal } from "./journal/journal.ts";
import type { LogReplay } from "./log-replay.ts";
import type { createQueue } from "./session-context.ts";
import type { UnsavedEvents } from "./unsaved-events.ts";

/** So many records a saved state must spare whoever opens the session: reading fewer takes no longer than reading the state. */
const LEAST_SPARED = 200;
/** And so many times what is in it, so that saving stays small beside what is written anyway. */
const LEAST_SPARED_SHARE = 3;
/** A state that is so many records old is replaced: what came since is read record by record. */
const MOST_BEHIND = 200;

export interface StateSaverPorts {
  readonly journal: Journal;
  readonly replay: LogReplay;
  readonly unsaved: UnsavedEvents;
  readonly enqueue: ReturnType<typeof createQueue>;
  /** The version of the state that the session was opened with; 0 where there was none. */
  readonly savedVersion: number;
}

/**
 * Saves from time to time what a session's records come to, when nobody waits for it: right after a rewrite, since no older state can be used
 * then, and after many records. What goes wrong is passed over: the next opening reads more records, and that is all.
 */
export function createStateSaver({ journal, replay, unsaved, enqueue, savedVersion }: StateSaverPorts): () => void {
  const { save } = journal;
  let saved = savedVersion;
  let isScheduled = false;

  function isDue(): boolean {
    const { history } = replay;
    const isOutdated = history.version() - saved >= MOST_BEHIND || history.rewriteVersion() > saved;
    return save !== undefined && isOutdated && isWorthIt(replay.visibleMessages(), history.version());
  }

  async function saveNow(): Promise<void> {
    // What is not kept yet may never be: a state must not know of it.
    if (!isDue() || unsaved.list().length > 0) return;
    const state = replay.save();
    if (state === undefined) return;
    const { version, visible, growth, requests } = state;
    if (!isWorthIt(visible.length + growth.arrivals.length + requests.current.length, version)) return;
    saved = version;
    await save?.(state);
  }

  return () => {
    if (isScheduled || !isDue()) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      enqueue(saveNow).catch(() => undefined);
    });
  };
}

function isWorthIt(savedItems: number, version: number): boolean {
  return version - savedItems >= Math.max(LEAST_SPARED, LEAST_SPARED_SHARE * savedItems);
}
