import type { Assessment, LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";

/** Has the next condensation of a session prepared between two of its requests. */
export interface FoldAhead {
  /** A view was given out; whether something was folded for it. */
  prepared(assessment: Assessment, hasFolded: boolean): void;
}

/** A turn that adds more than this is rare; one that adds less finds the work done. */
const LEAD_TOKENS = 8_000;
/** New messages are read first, a slice at a time. */
const IDLE_MS = 20;
/** What is prepared takes memory. Beyond so many sessions of this process, what was prepared first is given up. */
const MOST_PREPARED = 16;

/** What is prepared in this process, oldest first. Held weakly: a session that nobody closed goes, with what was prepared for it. */
const prepared = new Set<WeakRef<PreparedFold>>();

interface PreparedFold {
  release(): void;
}

/**
 * Asks condensers that need no model to do ahead what they can, once the view is near its next fold. Before a fold by a cold cache that is when
 * the cache has been forgotten. What comes of the fold does not depend on it.
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
    // Not read from the store yet: the fold reads it, and most sessions end before.
    if (messages === undefined) return;
    const releases = session.ports.plugins.list().flatMap((plugin) => {
      try {
        return plugin.usesModel === false ? (plugin.condenseAhead?.(messages) ?? []) : [];
      } catch {
        // Nobody waits for it, and the condensation itself will tell.
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
      // The reply to this view begins the turn that a fold of the next one leaves as it is.
      toPrepare = session.log.state();
      timer = setTimeout(prepareWhereHeld, waitMs, new WeakRef(work));
      // Nobody's process stays alive for it. In browsers and workers a timer is a number, and keeps nothing alive.
      if (typeof timer !== "number") timer.unref();
    },
  };
}

/** Work that a session will do later, unless it is gone by then. */
interface PendingWork {
  prepare(): void;
}

/** What a timer calls: it may wait for an hour, and must not keep a session and its log for so long. */
function prepareWhereHeld(work: WeakRef<PendingWork>): void {
  work.deref()?.prepare();
}

/** When to prepare a fold; undefined where none is in sight. */
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
