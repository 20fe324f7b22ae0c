import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";

/**
 * Where the conversation is kept: in one session, or in that session of an engine whose id is the `thread_id` of the call. Without a thread it
 * is named after the id that LangChain gave the first message.
 */
export type PalimpsestMiddlewareOptions = MiddlewareCallbacks &
  (
    | { readonly session: Session; readonly engine?: undefined }
    | { readonly engine: Engine; readonly session?: undefined }
  );

/** Who is told what happened. */
export interface MiddlewareCallbacks {
  /** Called before each call of the model with the size of its prompt, and with the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with what failed inside of us; what LangChain had is sent then. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function checkOptions(options: PalimpsestMiddlewareOptions): void {
  assertObject("options", options);
  const { session, engine, onReport, onError } = options;
  const isOne = (session === undefined) !== (engine === undefined);
  assert(isOne, "options", options, "{ engine } or { session }");
  if (session !== undefined) assertFunction("options.session.prepare", session?.prepare);
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  if (onReport !== undefined) assertFunction("options.onReport", onReport);
  if (onError !== undefined) assertFunction("options.onError", onError);
}
