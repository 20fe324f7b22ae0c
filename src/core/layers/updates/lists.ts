/** Lists that grow with every turn keep so many of their newest entries, or a state would grow without end. */
const MAX_RECORDS = 200;

/** The list with the entry at its end. */
export function append<Entry>(list: readonly Entry[], entry: Entry, most = MAX_RECORDS): readonly Entry[] {
  return [...list, entry].slice(-most);
}

/** The list with the entry instead of the one that has the same key, or at its end where none has. */
export function put<Entry>(list: readonly Entry[], entry: Entry, keyOf: (entry: Entry) => string): readonly Entry[] {
  const key = keyOf(entry);
  const place = list.findIndex((other) => keyOf(other) === key);
  return place === -1 ? [...list, entry] : list.with(place, entry);
}

export function idOf({ id }: { readonly id: string }): string {
  return id;
}
