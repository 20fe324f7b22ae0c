import type { Enqueue } from "../queue.ts";
import type { Journal } from "./journal/journal.ts";
import type { UnsavedEvents } from "./log-events.ts";
import type { LogReplay } from "./log-replay.ts";

/** The least number of records that a saved state must save an opening from reading: fewer take no longer to read than the state itself. */
const LEAST_SPARED = 200;
/** It must also save this many times the items in it, so that states stay small beside the records that are written anyway. */
const LEAST_SPARED_SHARE = 3;
/** A state that lacks this many records is replaced: an opening reads them one by one. */
const MOST_BEHIND = 200;

export interface StateSaverPorts {
  readonly journal: Journal;
  readonly replay: LogReplay;
  readonly unsaved: UnsavedEvents;
  readonly enqueue: Enqueue;
  /** The version of the state that the session was opened with; 0 where there was none. */
  readonly savedVersion: number;
}

export interface StateSaver {
  /** Called when records were added. Saves a state soon, if one is due. */
  saveSoon(): void;
  /** Makes a new state due, as the saved one lacks something that was asked for. It is saved when records are added next. */
  replace(): void;
}

/**
 * Saves a session's state from time to time, outside of any operation: after a rewrite, which makes older states useless, and after many
 * records. Failures are ignored: without the state, the next opening only reads more records.
 */
export function createStateSaver({ journal, replay, unsaved, enqueue, savedVersion }: StateSaverPorts): StateSaver {
  const { save } = journal;
  let saved = savedVersion;
  let isScheduled = false;

  function isDue(): boolean {
    const { history } = replay;
    const isOutdated = history.version() - saved >= MOST_BEHIND || history.rewriteVersion() > saved;
    return save !== undefined && isOutdated && isWorthIt(replay.visibleMessages(), history.version());
  }

  async function saveNow(): Promise<void> {
    // Events that are not written yet may never be: the state must not contain them.
    if (!isDue() || unsaved.list().length > 0) return;
    const state = replay.save();
    if (state === undefined) return;
    const { version, visible, growth, requests } = state;
    if (!isWorthIt(visible.length + growth.arrivals.length + requests.current.length, version)) return;
    saved = version;
    await save?.(state);
  }

  return {
    saveSoon: () => {
      if (isScheduled || !isDue()) return;
      isScheduled = true;
      setTimeout(() => {
        isScheduled = false;
        enqueue(saveNow).catch(() => undefined);
      });
    },
    replace: () => {
      saved = 0;
    },
  };
}

function isWorthIt(savedItems: number, version: number): boolean {
  return version - savedItems >= Math.max(LEAST_SPARED, LEAST_SPARED_SHARE * savedItems);
}
