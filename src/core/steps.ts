/** Work in small steps, with its result at the end: who has an event loop to serve pauses between them. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does all of the work at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
