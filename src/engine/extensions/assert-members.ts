import { assert, assertFunction, assertObject } from "../../core/assert.ts";

export function assertName(name: string, value: unknown): asserts value is string {
  assert(typeof value === "string" && value.trim() !== "", name, value, "a string that is not blank");
}

/** Throws "invalid-argument" where one of the methods is there but no function. */
export function assertOptionalMethods(
  name: string,
  value: unknown,
  methods: readonly string[],
): asserts value is object {
  assertObject(name, value);
  for (const method of methods) {
    const member: unknown = Reflect.get(value, method);
    if (member !== undefined) assertFunction(`${name}.${method}`, member);
  }
}
