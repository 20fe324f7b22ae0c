/** Whether JSON says all of a value and nothing else: what is parsed of its JSON is the same again. No recursion: values may be nested beyond the stack. */
export function isPlainJson(root: unknown): boolean {
  const unfinished: object[] = [];
  const isPlain = (value: unknown): boolean => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return true;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0);
      case "object":
        if (value !== null) unfinished.push(value);
        return true;
      default:
        return false;
    }
  };
  if (!isPlain(root)) return false;
  for (const each of unfinished) if (!isPlainContainer(each) || !Object.values(each).every(isPlain)) return false;
  return true;
}

/** Lists without holes, and objects that hold nothing but their fields. */
function isPlainContainer(value: object): boolean {
  const keys = Reflect.ownKeys(value);
  // A list has its length among them.
  if (Array.isArray(value)) return keys.length === value.length + 1 && Object.keys(value).length === value.length;
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    !("toJSON" in value) &&
    keys.every((key) => typeof key === "string" && Object.prototype.propertyIsEnumerable.call(value, key))
  );
}
