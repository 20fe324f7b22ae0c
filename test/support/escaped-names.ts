/**
 * V8's `JSON.parse` (Node 23 to 26) may give a property name that is written with an escape the name of another property, after it
 * parsed an object in which that other name came behind the same names.
 */

/** Names of which one is taken for the other: both are written with a backslash as their first character. */
export const CONFUSED_NAMES = ["\\", "\n", '"', "\t", "\u0001"] as const;

/** Parses, by the platform, an object that makes the platform take names for others in later objects that begin with `first`. */
export function teachParser(first: string): void {
  JSON.parse(`{${JSON.stringify(first)}:1,"\\\\":2}`);
}

/** Whether this Node's parser has the fault. `first` is a name that nothing else has. */
export function hasNameFault(first: string): boolean {
  teachParser(first);
  const parsed: object = JSON.parse(`{${JSON.stringify(first)}:[],"\\u0061":{}}`);
  return !Object.hasOwn(parsed, "a");
}
