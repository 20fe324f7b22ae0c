import { demand, demandFunction, demandObject } from "../../core/demand.ts";

export function demandName(name: string, value: unknown): asserts value is string {
  demand(typeof value === "string" && value.trim() !== "", name, value, "a string that is not blank");
}

/** Refuses an object where a method that it has is no function. */
export function demandOptionalMethods(
  name: string,
  value: unknown,
  methods: readonly string[],
): asserts value is object {
  demandObject(name, value);
  for (const method of methods) {
    const member: unknown = Reflect.get(value, method);
    if (member !== undefined) demandFunction(`${name}.${method}`, member);
  }
}
