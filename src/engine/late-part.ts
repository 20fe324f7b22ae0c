/**
 * Returns a function that loads a part of the engine on its first call, so that a program which never needs the part does not load it. In a bundle of
 * one file, the part is there from the beginning. After a failure, the next call loads again.
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
