import { PalimpsestError } from "./errors.ts";

/** Refuses an argument, saying what it is and what it must be. */
export function assert(isAllowed: boolean, name: string, value: unknown, allowed: string): asserts isAllowed {
  if (isAllowed) return;
  throw new PalimpsestError("invalid-argument", `${name} is ${describeValue(value)}; it must be ${allowed}.`);
}

export function assertObject(name: string, value: unknown): asserts value is object {
  assert(typeof value === "object" && value !== null, name, value, "an object");
}

export function assertArray(name: string, value: unknown): asserts value is readonly unknown[] {
  assert(Array.isArray(value), name, value, "an array");
}

export function assertFunction(name: string, value: unknown): void {
  assert(typeof value === "function", name, value, "a function");
}

/** A finite number of at least `least`. @default least no limit */
export function assertNumber(name: string, value: unknown, least = Number.NEGATIVE_INFINITY): void {
  const allowed = Number.isFinite(least) ? `a number of at least ${least}` : "a finite number";
  assert(typeof value === "number" && Number.isFinite(value) && value >= least, name, value, allowed);
}

/** A value in a few words, short enough for an error message. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
