import { describeValue } from "./demand.ts";

/** What went wrong, whatever was thrown: also what breaks when it is looked at. */
export function describeError(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message || error.name : error;
    return typeof message === "string" ? message : describeValue(message);
  } catch {
    return "threw something that cannot be read";
  }
}
