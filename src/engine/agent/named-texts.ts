/** A text inside the arguments of a call. */
export interface NamedText {
  /** The name that stands nearest above it; empty where none does. */
  readonly parameter: string;
  readonly text: string;
}

/** All texts of some arguments, in order; those of a list have the list's name. Arguments come from JSON: there are no circles. */
export function namedTexts(input: unknown): readonly NamedText[] {
  const texts: NamedText[] = [];
  const waiting: { readonly parameter: string; readonly value: unknown }[] = [{ parameter: "", value: input }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { parameter, value } = next;
    if (typeof value === "string") texts.push({ parameter, text: value });
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    const inner = Object.entries(value).map(([name, each]) => ({ parameter: isList ? parameter : name, value: each }));
    // The last one in is the next one out.
    waiting.push(...inner.toReversed());
  }
  return texts;
}
