/** Of those that happened at the same time, the later in the list first. */
export function newestFirst<Entry extends { readonly at: number }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toReversed().sort((one, other) => other.at - one.at);
}
