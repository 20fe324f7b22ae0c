import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { assertSession, checkCallbacks, type PalimpsestCallbacks } from "../shared/callbacks.ts";

/**
 * The session that keeps the conversation: `session`, or the session of `engine` whose id is given here or with a call, as
 * `providerOptions: { palimpsest: { sessionId } }`.
 */
export type PalimpsestMiddlewareOptions = PalimpsestCallbacks &
  (
    | { readonly session: Session; readonly engine?: undefined; readonly sessionId?: undefined }
    | { readonly engine: Engine; readonly sessionId?: string | undefined; readonly session?: undefined }
  );

export function checkOptions(options: PalimpsestMiddlewareOptions): void {
  assertObject("options", options);
  const { session, engine, sessionId } = options;
  const isOne = (session === undefined) !== (engine === undefined);
  assert(isOne, "options", options, "{ session } or { engine, sessionId }");
  if (session !== undefined) assertSession(session);
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  const isId = sessionId === undefined || (typeof sessionId === "string" && sessionId !== "" && session === undefined);
  assert(isId, "options.sessionId", sessionId, "the id of a session, together with an engine");
  checkCallbacks(options);
}

/** The session that a call belongs to. Throws if neither the options nor the call name one. */
export async function sessionOf(options: PalimpsestMiddlewareOptions, providerOptions: unknown): Promise<Session> {
  if (options.session !== undefined) return options.session;
  const id = fieldAt(providerOptions, "palimpsest", "sessionId") ?? options.sessionId;
  if (typeof id === "string" && id !== "") return options.engine.session(id);
  throw new PalimpsestError(
    "invalid-argument",
    "No session for this call. Pass sessionId to palimpsestMiddleware, or providerOptions: { palimpsest: { sessionId } } with the call.",
  );
}
