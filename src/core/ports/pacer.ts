/** Called between two steps of long work: see {@link Pacer}. */
export type Pause = () => Promise<void> | undefined;

/** Divides long work into time slices, so that the event loop can serve other requests in between. The work's result does not depend on it. */
export interface Pacer {
  /**
   * Called between two steps of the work. Returns a promise where the slice is over, which resolves once other tasks have run; undefined where
   * time is left in the slice: then nothing need be awaited.
   */
  readonly pause: Pause;
}
