import { assert, assertObject } from "../../core/assert.ts";
import { wellFormed } from "../../core/text/well-formed.ts";

export interface PromptOptions {
  /** The system prompt, which is put where the wire has it. @default none */
  readonly system?: string | undefined;
}

/** The system prompt to send; undefined if there is none or it is blank, which providers refuse. Throws if it is no string. */
export function systemOf(options: PromptOptions | undefined): string | undefined {
  if (options !== undefined) assertObject("options", options);
  const system = options?.system;
  assert(system === undefined || typeof system === "string", "options.system", system, "a string");
  return system === undefined || !/\S/.test(system) ? undefined : wellFormed(system);
}
