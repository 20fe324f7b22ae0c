/**
 * What a list is now, which later only grows in place: a frozen copy, made when it is first looked at. Whoever does not look
 * pays nothing, however long the list is.
 */
export function frozenCopy<Item>(growing: readonly Item[]): () => readonly Item[] {
  const { length } = growing;
  let copy: readonly Item[] | undefined;
  return () => {
    copy ??= Object.freeze(growing.slice(0, length));
    return copy;
  };
}
