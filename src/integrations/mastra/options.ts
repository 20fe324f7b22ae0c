import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { assertSession, checkCallbacks, type PalimpsestCallbacks } from "../shared/callbacks.ts";

/**
 * The session that keeps the conversation: `session`, or the session of `engine` whose id is that of the run's thread, or `sessionId` for a run without
 * a thread. Without either id, the session is named after the id that Mastra gave the first message.
 */
export type PalimpsestProcessorOptions = PalimpsestCallbacks &
  (
    | { readonly session: Session; readonly engine?: undefined; readonly sessionId?: undefined }
    | { readonly engine: Engine; readonly sessionId?: string | undefined; readonly session?: undefined }
  );

export function checkOptions(options: PalimpsestProcessorOptions): void {
  assertObject("options", options);
  const { session, engine, sessionId } = options;
  const isOne = (session === undefined) !== (engine === undefined);
  assert(isOne, "options", options, "{ engine } or { session }");
  if (session !== undefined) assertSession(session);
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  const isId = sessionId === undefined || (typeof sessionId === "string" && sessionId !== "" && session === undefined);
  assert(isId, "options.sessionId", sessionId, "the id of a session, together with an engine");
  checkCallbacks(options);
}
