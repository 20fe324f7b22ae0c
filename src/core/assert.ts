import { PalimpsestError } from "./errors.ts";

/** Throws "invalid-argument" unless `isAllowed`; the message says what the argument is and what it must be. */
export function assert(isAllowed: boolean, name: string, value: unknown, allowed: string): asserts isAllowed {
  if (isAllowed) return;
  throw new PalimpsestError("invalid-argument", `${name} is ${describeValue(value)}; it must be ${allowed}.`);
}

/** Throws unless this is an object; `example` is one that would do, for calls to which people pass a single value instead. */
export function assertObject(name: string, value: unknown, example?: string): asserts value is object {
  const allowed = example === undefined ? "an object" : `an object, such as ${example}`;
  assert(typeof value === "object" && value !== null && !isPromise(value), name, value, allowed);
}

export function assertArray(name: string, value: unknown): asserts value is readonly unknown[] {
  assert(Array.isArray(value), name, value, "an array");
}

export function assertFunction(name: string, value: unknown): void {
  assert(typeof value === "function", name, value, "a function");
}

/** Throws unless this is a finite number of at least `least`. @default least no limit */
export function assertNumber(name: string, value: unknown, least = Number.NEGATIVE_INFINITY): void {
  const allowed = Number.isFinite(least) ? `a number of at least ${least}` : "a finite number";
  assert(typeof value === "number" && Number.isFinite(value) && value >= least, name, value, allowed);
}

/** Throws on an option that is not one of `known`: a mistyped one would be ignored in silence. */
export function assertOptionNames<Options extends object>(
  name: string,
  options: Options,
  known: Readonly<Record<keyof Options, true>>,
): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  const names = Object.keys(known).join(", ");
  throw new PalimpsestError("invalid-argument", `${name}.${unknown} is not an option. The options are ${names}.`);
}

/** A value in a few words, short enough for an error message. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (isPromise(value)) return "a promise that was not awaited";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** Whether an `await` was forgotten: a promise is an object, so that its missing fields would be reported instead. */
export function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}
