/** Called between two steps of a long work: see `Pacer`. */
export type Pause = () => Promise<void> | undefined;

/** Divides long work into slices, so that an event loop serves others in between. What the work gives does not depend on it. */
export interface Pacer {
  /**
   * Called between two steps of the work. A promise where the slice is over: it resolves once others had their turn. Undefined where there is
   * time left: then nothing need be awaited.
   */
  readonly pause: Pause;
}
