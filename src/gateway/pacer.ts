import type { Pacer } from "../core/ports/pacer.ts";

export interface PacerOptions {
  /** How long one slice of work takes at most, in milliseconds. @default 6 */
  readonly sliceMs?: number | undefined;
  /** In milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
  /** Runs a callback after the events that wait in the event loop now. @default setImmediate */
  readonly afterOthers?: ((run: () => void) => void) | undefined;
}

/** Makes pacers that take turns on one event loop. */
export interface PacerPool {
  /** Creates the pacer of one request. */
  pacer(): Pacer;
}

/** A fraction of the time that one request may delay others, as the work between two pauses may take longer than expected. */
const SLICE_MS = 6;

/**
 * Creates the pacers of one event loop. Of all paused pacers, one resumes in each turn of the loop, the one that waits longest first. Otherwise the
 * loop would run a slice of every large request before it serves any other one.
 */
export function createPacerPool({
  sliceMs = SLICE_MS,
  now = () => performance.now(),
  afterOthers = (run) => void setImmediate(run),
}: PacerOptions = {}): PacerPool {
  const waiting: (() => void)[] = [];

  function resumeOne(): void {
    waiting.shift()?.();
    if (waiting.length > 0) afterOthers(resumeOne);
  }

  function nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) afterOthers(resumeOne);
    });
  }

  return {
    pacer: () => {
      let sliceEnd = now() + sliceMs;
      return {
        pause: () => {
          if (now() < sliceEnd) return undefined;
          return nextTurn().then(() => {
            sliceEnd = now() + sliceMs;
          });
        },
      };
    },
  };
}
