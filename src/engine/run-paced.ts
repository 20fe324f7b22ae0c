import type { Pause } from "../core/ports/pacer.ts";
import type { Steps } from "../core/steps.ts";

/** Runs steps one by one, and awaits `pause` after each, where it returns a promise. Resolves to the result of the steps. */
export async function runPaced<Result>(steps: Steps<Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}
