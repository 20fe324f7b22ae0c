import { noteBeginning, noteGrown } from "../../adapters/splice/read-once.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { RawRequest, WireAdapter, WireRequest } from "../../core/ports/wire-adapter.ts";
import { withList } from "../bodies/json-body.ts";
import { type PacedRequest, pacedRequestOf, type RecentBodies, rawRequestOf } from "../bodies/recent-bodies.ts";
import { fingerprintPaced } from "../match/fingerprints.ts";
import { type IncomingRequest, readIncoming } from "../match/incoming-request.ts";
import type { SessionNaming } from "../match/scope.ts";
import type { AgentRequest } from "../turn.ts";

export interface ReadRequestOptions {
  readonly bodies: RecentBodies;
  readonly adapter: WireAdapter;
  readonly sessionId: string | undefined;
  readonly naming: SessionNaming;
  readonly pacer: Pacer;
}

/** In bytes. Smaller bodies are read at once: that takes too little time to delay other requests. */
const LARGE_BODY = 64 * 1024;

/** Reads an agent's request; undefined where it holds no conversation. A large one is read in slices, with pauses, and gives a promise. */
export function readAgentRequest(
  agentRequest: AgentRequest,
  options: ReadRequestOptions,
): IncomingRequest | undefined | Promise<IncomingRequest | undefined> {
  if (agentRequest.body.length >= LARGE_BODY) return readPaced(agentRequest, options);
  const { bodies, sessionId, adapter, naming } = options;
  const raw = rawRequestOf(agentRequest, { bodies, sessionId, listPaths: adapter.listPaths });
  const request = raw && adapter.readRequest(raw);
  return request && readIncoming(request, { ...agentRequest, naming });
}

async function readPaced(
  agentRequest: AgentRequest,
  { bodies, sessionId, adapter, naming, pacer }: ReadRequestOptions,
): Promise<IncomingRequest | undefined> {
  const paced = await pacedRequestOf(agentRequest, { bodies, sessionId, listPaths: adapter.listPaths, pacer });
  const request = paced && (await readGrowing(paced, adapter, pacer));
  if (request === undefined) return undefined;
  const fingerprints = await fingerprintPaced(request, pacer);
  return readIncoming(request, { ...agentRequest, naming, fingerprints });
}

/**
 * Reads a long list of messages as if the conversation had been sent step by step, with pauses between the steps. This works because adapters
 * cache what they read of a list, and read only the new items of a longer list that begins with it.
 */
async function readGrowing(
  { raw, listPath, steps }: PacedRequest,
  adapter: WireAdapter,
  pacer: Pacer,
): Promise<WireRequest | undefined> {
  const items = fieldAt(raw.value, ...listPath);
  if (Array.isArray(items)) {
    let before: readonly unknown[] | undefined;
    for (const count of steps) {
      const beginning: readonly unknown[] = items.slice(0, count);
      if (before === undefined) noteBeginning(beginning, items);
      else noteGrown(beginning, before, before.length);
      before = beginning;
      adapter.readRequest(beginningOf(raw, listPath, beginning));
      const paused = pacer.pause();
      if (paused !== undefined) await paused;
    }
    if (before !== undefined) noteGrown(items, before, before.length);
  }
  return adapter.readRequest(raw);
}

function beginningOf({ path, value }: RawRequest, listPath: readonly string[], items: readonly unknown[]): RawRequest {
  const shorter = withList(value, listPath, items);
  return {
    path,
    value: shorter,
    get body() {
      return JSON.stringify(shorter);
    },
  };
}
