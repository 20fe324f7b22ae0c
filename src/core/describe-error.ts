import { describeValue } from "./assert.ts";

/** The message of anything that was thrown. Never throws, not even for objects whose fields throw when they are read. */
export function describeError(error: unknown): string {
  try {
    if (typeof error === "string") return error;
    // Errors of another realm are no `Error` here, and some libraries throw plain objects.
    const [message, name] =
      typeof error === "object" && error !== null ? [field(error, "message"), field(error, "name")] : [];
    return message || name || describeValue(error);
  } catch {
    return "threw something that cannot be read";
  }
}

function field(error: object, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : "";
}
