// Real schemas have some hundred values in a dozen levels; without bounds, a hostile one could exhaust stack and memory.
const MAX_VALUES = 20_000;
const MAX_DEPTH = 64;

/** The excess of each schema; "" for one within bounds. */
const cachedExcess = new WeakMap<object, string>();

/** Why a schema is too large to be sent, narrowed or compiled; undefined for one within bounds. Cached per object. */
export function schemaExcess(schema: object): string | undefined {
  const excess = cachedExcess.get(schema) ?? findExcess(schema) ?? "";
  cachedExcess.set(schema, excess);
  return excess === "" ? undefined : excess;
}

function findExcess(schema: object): string | undefined {
  const stack: { readonly value: object; readonly depth: number }[] = [{ value: schema, depth: 1 }];
  let values = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return `its schema is more than ${MAX_DEPTH} levels deep`;
    // a shared part counts each time, because it is sent each time
    for (const inner of Object.values(value)) {
      values += 1;
      if (values > MAX_VALUES) return `its schema has more than ${MAX_VALUES} values`;
      if (typeof inner === "object" && inner !== null) stack.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
