import type { JsonSchema } from "../tool-definition.ts";
import { isSchemaObject } from "./json-pointer.ts";

/**
 * Whether what stands under this keyword binds only some inputs. Then no list can hold a parameter there: an input may
 * match another alternative, which says nothing about it. A choice between something and null is no such case.
 */
export function isAlternative(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) && value.filter((choice) => !isNull(choice)).length > 1;
    case "then":
    case "else":
    case "dependentSchemas":
    case "dependencies":
      return true;
    default:
      return false;
  }
}

/** Whether an alternative refers to a definition: what the definitions say then binds only some inputs too. */
export function hasAlternativeReference(schema: JsonSchema): boolean {
  const waiting: { readonly value: object; readonly isInside: boolean }[] = [{ value: schema, isInside: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [keyword, value] of Object.entries(next.value)) {
      const isInside = next.isInside || isAlternative(keyword, value);
      if (isInside && keyword === "$ref") return true;
      if (typeof value === "object" && value !== null) waiting.push({ value, isInside });
    }
  }
  return false;
}

function isNull(choice: unknown): boolean {
  return isSchemaObject(choice) && choice.type === "null";
}
