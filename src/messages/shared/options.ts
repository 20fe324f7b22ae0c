import { assert, assertObject } from "../../core/assert.ts";

export interface PromptOptions {
  /** The system prompt, where the wire has it beside or among the messages. @default none */
  readonly system?: string | undefined;
}

/** The system prompt to send; undefined where there is none, or only white space, which providers refuse. */
export function systemOf(options: PromptOptions | undefined): string | undefined {
  if (options !== undefined) assertObject("options", options);
  const system = options?.system;
  assert(system === undefined || typeof system === "string", "options.system", system, "a string");
  return system === undefined || !/\S/.test(system) ? undefined : system;
}
