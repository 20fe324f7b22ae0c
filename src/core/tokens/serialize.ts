const UNSERIALIZABLE = "[unserializable]";

/** JSON, or a placeholder for what has none: cycles, BigInts, a `toJSON` that throws, undefined. */
export function serialize(value: unknown): string {
  try {
    return JSON.stringify(value) ?? UNSERIALIZABLE;
  } catch {
    return UNSERIALIZABLE;
  }
}
