import type { Pause } from "../core/ports/pacer.ts";
import type { Steps } from "../core/steps.ts";

/** Does work step by step and pauses where a slice is over; where nothing pauses, all of it at once. */
export async function runPaced<Result>(steps: Steps<Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}
