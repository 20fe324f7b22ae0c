import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { asName } from "../../core/json/read-json.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PrepareReport } from "../../engine/session/report.ts";

/** The conversation: a session of an engine. */
export interface AgentsConversation {
  readonly engine: Engine;
  /**
   * The same for all runs of one conversation. What an agent that is called as a tool says is kept in a session of its own, named after this
   * one.
   */
  readonly sessionId: string;
}

export interface PalimpsestModelOptions extends AgentsConversation {
  /** Called before each call of the model with the size of its prompt, and with the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with what failed inside of us; what the SDK had is sent then. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function checkConversation(options: AgentsConversation): void {
  assertObject("options", options);
  assertFunction("options.engine.session", options.engine?.session);
  assert(asName(options.sessionId) !== undefined, "options.sessionId", options.sessionId, "a text that is not empty");
}

export function checkModelOptions(options: PalimpsestModelOptions): void {
  checkConversation(options);
  const { onReport, onError } = options;
  if (onReport !== undefined) assertFunction("options.onReport", onReport);
  if (onError !== undefined) assertFunction("options.onError", onError);
}
