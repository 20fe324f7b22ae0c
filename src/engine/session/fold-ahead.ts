import type { Assessment } from "./assess.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";

/** Prepares the next condensation of a session between two of its requests. */
export interface FoldAhead {
  /** Called with each view that prepare returns, and whether anything was folded for it. Starts a timer if a fold is near. */
  prepared(assessment: Assessment, hasFolded: boolean): void;
}

/** The next fold is near when the view is this close to the trigger. Few turns add more. */
const LEAD_TOKENS = 8_000;
/** The delay before a near fold is prepared, so that new messages are read ahead first (see `createReadAhead`). */
const IDLE_MS = 20;
/** The most sessions of this process with a prepared fold. Beyond that, the oldest one is released: it takes memory. */
const MOST_PREPARED = 16;

/** The prepared folds of this process, oldest first. Held weakly, so that a session which was never closed can be collected. */
const prepared = new Set<WeakRef<PreparedFold>>();

interface PreparedFold {
  release(): void;
}

/**
 * Calls `condenseAhead` of condensers that need no model, once the next fold is near. Where a fold is due as soon as the prompt cache is cold, that
 * is when the cache expires. The fold itself gives the same result without it.
 */
export function createFoldAhead(session: LiveSession): FoldAhead {
  let timer: NodeJS.Timeout | number | undefined;
  let held: PreparedFold | undefined;
  let toPrepare: LogState | undefined;
  const work: PendingWork = { prepare };

  function release(): void {
    clearTimeout(timer);
    held?.release();
  }

  function prepare(): void {
    const messages = toPrepare?.messages;
    toPrepare = undefined;
    // The log was not read from the store yet. The fold will read it; most sessions end before.
    if (messages === undefined) return;
    const releases = session.ports.plugins.list().flatMap((plugin) => {
      try {
        return plugin.usesModel === false ? (plugin.condenseAhead?.(messages) ?? []) : [];
      } catch {
        // Not reported: if the condenser fails again when it condenses, that is.
        return [];
      }
    });
    if (releases.length > 0) held = hold(releases, () => (held = undefined));
  }

  session.closeSignal.addEventListener("abort", release);
  return {
    prepared: (assessment, hasFolded) => {
      release();
      const waitMs = hasFolded || session.closeSignal.aborted ? undefined : msUntilFold(session, assessment);
      if (waitMs === undefined) return;
      // The log as it is now: the next fold will leave the turn that begins with the reply as it is.
      toPrepare = session.log.state();
      timer = setTimeout(prepareWhereHeld, waitMs, new WeakRef(work));
      // The timer must not keep the process alive. In browsers and workers it is a number, and cannot.
      if (typeof timer !== "number") timer.unref();
    },
  };
}

/** Work that a timer starts, unless its session was collected by then. */
interface PendingWork {
  prepare(): void;
}

/** The timer's callback. It holds the work weakly: a timer may run for an hour, and must not keep a session and its log in memory. */
function prepareWhereHeld(work: WeakRef<PendingWork>): void {
  work.deref()?.prepare();
}

/** The delay after which to prepare a fold; undefined where no fold is near. */
function msUntilFold(session: LiveSession, { decision, rent }: Assessment): number | undefined {
  const { prevContextTokens, triggerTokens, mayCondense } = decision;
  if (!mayCondense) return undefined;
  if (prevContextTokens >= triggerTokens - LEAD_TOKENS) return IDLE_MS;
  const { cacheTtlMs } = session.model();
  return rent !== undefined && rent.gainTokens > 0 && cacheTtlMs > 0 ? cacheTtlMs : undefined;
}

function hold(releases: readonly (() => void)[], released: () => void): PreparedFold {
  const fold: PreparedFold = {
    release: () => {
      if (!prepared.delete(entry)) return;
      released();
      for (const release of releases) release();
    },
  };
  const entry = new WeakRef(fold);
  prepared.add(entry);
  const [oldest] = prepared;
  if (oldest !== undefined && prepared.size > MOST_PREPARED) {
    oldest.deref()?.release();
    prepared.delete(oldest);
  }
  return fold;
}
