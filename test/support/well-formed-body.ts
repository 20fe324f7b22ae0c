import { wellFormedValue } from "../../src/core/text/well-formed.ts";

/**
 * The body without halves of surrogate pairs. Providers refuse an agent's request with one, whatever we do: a property asks whether all else in it
 * is accepted.
 */
export function wellFormedBody(body: string): string {
  return JSON.stringify(wellFormedValue(JSON.parse(body)));
}
