/** The fields of an argument; none where a getter throws: what it would have given is not sent either. */
export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}
