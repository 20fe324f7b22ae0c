import { assert, assertArray, assertNumber, assertObject } from "../../assert.ts";

/** Throws "invalid-argument" on an invalid value; `path` is its path in error messages. */
export type Check = (value: unknown, path: string) => void;

export const text: Check = (value, path) => assert(typeof value === "string", path, value, "a string");

export const flag: Check = (value, path) => assert(typeof value === "boolean", path, value, "true or false");

/** A value that is not checked here. */
export const anything: Check = () => {};

export const moment: Check = (value, path) => assertNumber(path, value);

export const amount: Check = (value, path) => assertNumber(path, value, 0);

export const share: Check = (value, path) =>
  assert(typeof value === "number" && value >= 0 && value <= 1, path, value, "a number from 0 to 1");

export function oneOf<Value extends string>(allowed: Readonly<Record<Value, true>>): Check {
  const names = Object.keys(allowed);
  const wording = names.map((name) => JSON.stringify(name)).join(", ");
  return (value, path) =>
    assert(typeof value === "string" && Object.hasOwn(allowed, value), path, value, `one of ${wording}`);
}

export function optional(check: Check): Check {
  return (value, path) => {
    if (value !== undefined) check(value, path);
  };
}

export function listOf(check: Check): Check {
  return (value, path) => {
    assertArray(path, value);
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
  };
}

/** A text, or an object that `check` accepts. */
export function textOr(check: Check): Check {
  return (value, path) => {
    if (typeof value === "string") return;
    assert(typeof value === "object" && value !== null, path, value, "a string or an object");
    check(value, path);
  };
}

export const texts = listOf(text);

/** A JSON scalar other than null. */
export const scalar: Check = (value, path) => {
  const isScalar = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  assert(isScalar, path, value, "a string, a finite number, true or false");
};

/** An object with a value of one kind for each name. */
export function byName(check: Check): Check {
  return (value, path) => {
    assertPlainObject(path, value);
    for (const [name, item] of Object.entries(value)) check(item, `${path}[${JSON.stringify(name)}]`);
  };
}

export const textByName = byName(text);

/** An object with these fields; others are allowed. A field of the type without a check does not compile. */
export function shape<Type extends object>(fields: { readonly [Field in keyof Required<Type>]: Check }): Check {
  const checks = Object.entries<Check>(fields);
  return (value, path) => {
    assertPlainObject(path, value);
    for (const [field, check] of checks) check(Reflect.get(value, field), `${path}.${field}`);
  };
}

export function assertPlainObject(path: string, value: unknown): asserts value is object {
  assertObject(path, value);
  assert(!Array.isArray(value), path, value, "an object");
}
