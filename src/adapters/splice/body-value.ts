import { tryParseJson } from "../../core/json/parse-json.ts";
import type { RawRequest } from "../../core/ports/wire-adapter.ts";

/** A body's text, with at least the items of its conversation that are needed. */
export function bodyWith(raw: RawRequest, isNeeded: (item: number) => boolean): string {
  return raw.sparseBody === undefined ? raw.body : raw.sparseBody(isNeeded);
}

/** What a body of JSON says; undefined where it is broken. The body of a request whose value is known may never be made. */
export function bodyValue(raw: RawRequest): unknown {
  return raw.value === undefined ? tryParseJson(raw.body) : raw.value;
}
