import { assert, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { LayeredState } from "../layered-state.ts";
import { checkState, STATE_SCHEMA_VERSION } from "./check-state.ts";

/**
 * The state as JSON; `readState` returns an equal one.
 * @example
 * ```ts
 * import { createInitialState, readState, serializeState } from "palimpsest/agent";
 * const json = serializeState(createInitialState("Fix the login"));
 * console.log(readState(json).l1_task.goal); // Fix the login
 * ```
 */
export function serializeState(state: LayeredState): string {
  checkState(state);
  return JSON.stringify(state);
}

/**
 * Reads a state that `serializeState` wrote. Throws "store-too-new" for a state of a newer version of this package, and
 * "invalid-argument", with the name of the field, for anything else that is not a state.
 * @example
 * ```ts
 * import { readState } from "palimpsest/agent";
 * try {
 *   readState('{ "schemaVersion": 99 }');
 * } catch (error) {
 *   console.log(Object(error).code); // store-too-new
 * }
 * ```
 */
export function readState(json: string): LayeredState {
  assert(typeof json === "string", "json", json, "a string");
  const value = parse(json);
  assertObject("state", value);
  const version: unknown = Reflect.get(value, "schemaVersion");
  if (typeof version === "number" && version > STATE_SCHEMA_VERSION) {
    throw new PalimpsestError(
      "store-too-new",
      `The state has schemaVersion ${version}, and this version of the package reads up to ${STATE_SCHEMA_VERSION}. ` +
        "Update the package to read it.",
    );
  }
  checkState(value);
  return value;
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("invalid-argument", `The state is no JSON: ${reason}.`);
  }
}
