import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { asName } from "../../core/json/read-json.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import { checkCallbacks } from "../shared/callbacks.ts";

/** The conversation: a session of an engine. */
export interface AgentsConversation {
  readonly engine: Engine;
  /** The same for all runs of one conversation. An agent that is called as a tool gets a session of its own, named after this one. */
  readonly sessionId: string;
}

export interface PalimpsestModelOptions extends AgentsConversation {
  /** Called before each call of the model with the size of its prompt and the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with an error of ours; the items are then sent as the SDK had them. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function checkConversation(options: AgentsConversation): void {
  assertObject("options", options);
  assertFunction("options.engine.session", options.engine?.session);
  assert(asName(options.sessionId) !== undefined, "options.sessionId", options.sessionId, "a text that is not empty");
}

export function checkModelOptions(options: PalimpsestModelOptions): void {
  checkConversation(options);
  checkCallbacks(options);
}
