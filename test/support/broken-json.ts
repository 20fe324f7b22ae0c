const DEEP = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`) as unknown;

/** What may stand where something else belongs. */
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  -1,
  1e308,
  "",
  "\u0000 text \ud800",
  true,
  [],
  {},
  [null, [1, "a"], { type: 5 }, { role: "user" }],
  { type: "tool_result", content: [{ type: "tool_use" }] },
  { __proto__: null, constructor: 1, toString: 2, hasOwnProperty: 3 },
  DEEP,
];

/** Copies of a document, each with one value, at any depth, left out or replaced by something hostile. */
export function* brokenCopies(document: unknown): Generator<unknown> {
  for (const value of HOSTILE_VALUES) yield value;
  if (typeof document !== "object" || document === null) return;
  for (const key of Object.keys(document)) {
    const put = (value: unknown) => withValue(document, key, value);
    yield put(undefined);
    for (const broken of brokenCopies(Reflect.get(document, key))) yield put(broken);
  }
}

function withValue(container: object, key: string, value: unknown): unknown {
  const copy: object = Array.isArray(container) ? [...container] : { ...container };
  if (value === undefined && !Array.isArray(container)) Reflect.deleteProperty(copy, key);
  else Reflect.set(copy, key, value);
  return copy;
}
