import type { RawRequest, WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import type { RecentBodies } from "./recent-bodies.ts";

/** Of smaller bodies the whole text is made as fast. */
const SMALLEST_SPARSE_BYTES = 32_768;

export interface RawRequestOptions {
  readonly bodies: RecentBodies;
  /** Of the agent's session, where its headers name one. */
  readonly sessionId: string | undefined;
  readonly listPaths: WireAdapter["listPaths"];
}

/** A request for an adapter; undefined where its body is no JSON. Its text is made only where somebody needs it. */
export function rawRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths }: RawRequestOptions,
): RawRequest | undefined {
  const { value, sparseText } = bodies.read(bytes, { kind: `${api} ${sessionId}`, listPaths });
  if (value === undefined) return undefined;
  let text: string | undefined;
  return {
    path,
    value,
    ...(bytes.length < SMALLEST_SPARSE_BYTES ? {} : { sparseBody: sparseText }),
    get body() {
      text ??= bytes.toString();
      return text;
    },
  };
}
