import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";
import { checkCallbacks } from "../shared/callbacks.ts";

/**
 * The session that keeps the conversation: `session`, or the session of `engine` whose id is the call's `thread_id`. Without a thread, the session
 * is named after the id that LangChain gave the first message.
 */
export type PalimpsestMiddlewareOptions = MiddlewareCallbacks &
  (
    | { readonly session: Session; readonly engine?: undefined }
    | { readonly engine: Engine; readonly session?: undefined }
  );

/** Callbacks of the middleware. */
export interface MiddlewareCallbacks {
  /** Called before each call of the model with the size of its prompt and the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with an error of ours; the messages are then sent as LangChain had them. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function checkOptions(options: PalimpsestMiddlewareOptions): void {
  assertObject("options", options);
  const { session, engine } = options;
  const isOne = (session === undefined) !== (engine === undefined);
  assert(isOne, "options", options, "{ engine } or { session }");
  if (session !== undefined) assertFunction("options.session.prepare", session?.prepare);
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  checkCallbacks(options);
}
