/** Whether a value survives a round trip through JSON unchanged. Not recursive: values may be nested too deep for the stack. */
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
  for (const value of unfinished) if (!isPlainContainer(value) || !Object.values(value).every(isPlain)) return false;
  return true;
}

/** Whether this is a list without holes, or an object with nothing but enumerable fields. */
function isPlainContainer(value: object): boolean {
  const keys = Reflect.ownKeys(value);
  // The own keys of a list include its length.
  if (Array.isArray(value)) return keys.length === value.length + 1 && Object.keys(value).length === value.length;
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    !("toJSON" in value) &&
    keys.every((key) => typeof key === "string" && Object.prototype.propertyIsEnumerable.call(value, key))
  );
}
