// A real tool has some hundred values, a dozen levels deep; without bounds, a hostile one could exhaust stack and memory.
const MAX_VALUES = 20_000;
const MAX_DEPTH = 64;

const verdicts = new WeakMap<object, string>();

/** Why a schema is too large to be sent, narrowed or compiled; undefined for one within bounds. Looked at once per object. */
export function schemaExcess(schema: object): string | undefined {
  const known = verdicts.get(schema) ?? findExcess(schema) ?? "";
  verdicts.set(schema, known);
  return known === "" ? undefined : known;
}

function findExcess(schema: object): string | undefined {
  const waiting: { readonly value: object; readonly depth: number }[] = [{ value: schema, depth: 1 }];
  let values = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return `its schema is more than ${MAX_DEPTH} levels deep`;
    // shared parts count each time, as they would be sent
    for (const inner of Object.values(value)) {
      values += 1;
      if (values > MAX_VALUES) return `its schema has more than ${MAX_VALUES} values`;
      if (typeof inner === "object" && inner !== null) waiting.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
