import type { JsonSchema } from "../tool-definition.ts";

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
/** The schema itself, and its definitions by name: places where parameters are looked for. */
const NEAR = /^#(?:\/(?:\$defs|definitions|properties)\/[^/]+)?$/;

/**
 * A reference to a place where parameters are not looked for: another document, an anchor, a part under a keyword of
 * someone's own. Undefined where there is none, so that what was narrowed is all there is. The schema is within bounds.
 */
export function findFarReference(schema: JsonSchema): string | undefined {
  const waiting: object[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [keyword, value] of Object.entries(next)) {
      if (typeof value === "object" && value !== null) waiting.push(value);
      if (REFERENCES.includes(keyword) && typeof value === "string" && !NEAR.test(value)) return value;
    }
  }
  return undefined;
}
