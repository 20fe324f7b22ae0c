import type { Pacer } from "../core/ports/pacer.ts";

export interface PacerOptions {
  /** How long one slice of work takes at most, in milliseconds. @default 6 */
  readonly sliceMs?: number | undefined;
  /** In milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
  /** Runs something after what waits for the event loop now. @default setImmediate */
  readonly afterOthers?: ((run: () => void) => void) | undefined;
}

/** Makes pacers that share the event loop. */
export interface PacerPool {
  /** For one request. */
  pacer(): Pacer;
}

/** A fraction of what one request may hold others up for: what happens between two pauses may take longer than was thought. */
const SLICE_MS = 6;

/**
 * Pacers of one event loop: of all that pause, one goes on in each turn of the loop, the one that waits longest first. Otherwise a loop
 * with many large requests would run a slice of each before it serves anyone else.
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
