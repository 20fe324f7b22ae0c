/** How much of a line must surround an identifier, at least, where the line is not there as a whole. */
export const MIN_CONTEXT_CHARACTERS = 40;

// Lines that name the same identifier more often than this differ in their numbers only.
const MAX_CONTEXTS = 1_000;

/** What stands around one occurrence, as far as it matters. */
interface Context {
  readonly before: string;
  readonly after: string;
}

/**
 * Whether one of `shown` repeats one of `sources` word for word around the identifier: at least 40 characters of the same
 * source line besides the identifier itself, without a gap.
 */
export function sharesContext(identifier: string, shown: readonly string[], sources: readonly string[]): boolean {
  const shownContexts = contextsIn(shown, identifier);
  if (shownContexts.length === 0) return false;
  const sourceContexts = contextsIn(sources, identifier);
  return shownContexts.some((one) =>
    sourceContexts.some((other) => sharedCharacters(one, other) >= MIN_CONTEXT_CHARACTERS),
  );
}

function contextsIn(lines: readonly string[], identifier: string): readonly Context[] {
  const contexts = new Map<string, Context>();
  for (const line of lines) {
    if (line.length < identifier.length + MIN_CONTEXT_CHARACTERS) continue;
    for (let at = line.indexOf(identifier); at >= 0; at = line.indexOf(identifier, at + identifier.length)) {
      const before = line.slice(Math.max(0, at - MIN_CONTEXT_CHARACTERS), at);
      const after = line.slice(at + identifier.length, at + identifier.length + MIN_CONTEXT_CHARACTERS);
      contexts.set(`${before}\n${after}`, { before, after });
      if (contexts.size >= MAX_CONTEXTS) return [...contexts.values()];
    }
  }
  return [...contexts.values()];
}

function sharedCharacters(one: Context, other: Context): number {
  let before = 0;
  while (before < one.before.length && one.before.at(-1 - before) === other.before.at(-1 - before)) before++;
  let after = 0;
  while (after < one.after.length && one.after[after] === other.after[after]) after++;
  return before + after;
}
