/** Work in small steps, with its result at the end: a caller with an event loop can pause between them. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does all of the work at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
