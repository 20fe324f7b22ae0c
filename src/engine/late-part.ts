/**
 * A part of the engine that is loaded when it is first needed: a program that never needs it has less to load. In a bundle of one file it is there
 * from the beginning. A part that could not be loaded is tried again the next time.
 */
export function latePart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    if (loading !== undefined) return loading;
    const started = load();
    started.catch(() => {
      loading = undefined;
    });
    loading = started;
    return started;
  };
}
