/** How many of their newest entries the lists that grow with every turn keep. */
const MAX_RECORDS = 200;

/** The list with the entry at its end, without the oldest ones beyond `most`. */
export function append<Entry>(list: readonly Entry[], entry: Entry, most = MAX_RECORDS): readonly Entry[] {
  return [...list, entry].slice(-most);
}

/** The list with the entry in place of the one with the same key, or at its end where there is none. */
export function put<Entry>(list: readonly Entry[], entry: Entry, keyOf: (entry: Entry) => string): readonly Entry[] {
  const key = keyOf(entry);
  const place = list.findIndex((other) => keyOf(other) === key);
  return place === -1 ? [...list, entry] : list.with(place, entry);
}

export function idOf({ id }: { readonly id: string }): string {
  return id;
}
