/** Reads JSON of unknown shape: each function returns undefined (or its stated default) for a value of another type. */

export type JsonRecord = Readonly<Record<string, unknown>>;

/** An object that is not an array. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A string with at least one character: ids, names and models are never empty. */
export function asName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A finite number. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A number of tokens; 0 for anything that is not a positive number. */
export function asTokens(value: unknown): number {
  const count = asNumber(value);
  return count !== undefined && count > 0 ? count : 0;
}

/** The value at a path such as `fieldAt(record, "message", "content", 0)`; own fields only. */
export function fieldAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return undefined;
    inner = Reflect.get(inner, key);
  }
  return inner;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Milliseconds since the epoch, from such a number or from an ISO-8601 time; one without a zone is read as UTC. */
export function asTimeMs(value: unknown): number | undefined {
  if (typeof value !== "string") return asNumber(value);
  const match = ISO_TIME.exec(value);
  if (match === null) return undefined;
  // Without a zone the platform would read local time, and the same file would differ from machine to machine.
  const timeMs = Date.parse(match[1] === undefined ? `${value.replace(" ", "T")}Z` : value.replace(" ", "T"));
  return asNumber(timeMs);
}
