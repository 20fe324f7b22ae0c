import { effectiveView } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { Store } from "../../../core/ports/store.ts";
import type { WireAdapter } from "../../../core/ports/wire-adapter.ts";
import {
  type BodyDifference,
  type ComparedRequest,
  explainDifference,
} from "../../../core/requests/describe-difference.ts";
import { locateByte } from "../../../core/requests/locate-byte.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";
import { type BodyPlace, readBytes, sharedBytes } from "../../../engine/session/requests/read-body.ts";
import type { Session } from "../../../engine/session/session.ts";
import { keptBodyOf, type RequestEvent, requestAt, requestsIn } from "../request-entry.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields } from "../shape.ts";

export interface DiffRouteOptions {
  readonly store: Store;
  readonly sessions: ApiSessions;
  readonly adapters: readonly Pick<WireAdapter, "name" | "listPaths">[];
}

/** Of each excerpt, before and behind the first byte that differs. */
const BEFORE_BYTES = 40;
const EXCERPT_BYTES = 160;

/** Two requests side by side: what they share, and who caused that it is not more. */
export function diffRoute({ store, sessions, adapters }: DiffRouteOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/requests/{index}/diff/{other}",
    operationId: "compareRequests",
    summary: "What two requests share, the first byte that differs, and who caused it",
    query: fields({}),
    reply: { description: "The comparison.", schema: ref("RequestDiff") },
    answer: async (_, call) => {
      const { stored, session } = await sessions.open(call.param("id"));
      const requests = requestsIn(await session.events());
      const [a, b] = [requestAt(requests, call.param("index")), requestAt(requests, call.param("other"))];
      const bodies = [keptBodyOf(a), keptBodyOf(b)] as const;
      const place = { store, sessionKey: stored.key };
      const shared = await sharedBytes(place, bodies[0], bodies[1]);
      const isSame = shared === bodies[0].bytes && shared === bodies[1].bytes;
      const common = {
        a: Number(call.param("index")),
        b: Number(call.param("other")),
        isSame,
        sharedBytes: shared,
        bytes: { a: bodies[0].bytes, b: bodies[1].bytes },
        sharedTokens: bodies[1].bytes === 0 ? 0 : Math.round((b.promptTokens * shared) / bodies[1].bytes),
        provider: providerOf(b, shared / Math.max(1, bodies[1].bytes)),
      };
      if (isSame) return Response.json({ ...common, cause: "none", sentence: "Both requests are the same bytes." });
      const difference = await readDifference(place, bodies, shared);
      const compared = [await comparedOf(session, a), await comparedOf(session, b)] as const;
      const listPaths = adapters.find(({ name }) => name === bodies[1].wire)?.listPaths ?? [];
      const { cause, sentence, foldId, message, ...found } = explainDifference(difference, compared, listPaths);
      const [excerptA, excerptB] = difference.excerpts;
      const first = {
        byte: shared,
        a: excerptA,
        b: excerptB,
        ...found,
        ...placeOf(message, (await session.snapshot()).log),
      };
      return Response.json({ ...common, first, cause, foldId, sentence });
    },
  });
}

function providerOf({ usage, promptTokens }: RequestEvent, share: number) {
  if (usage === undefined) return undefined;
  return { cacheReadTokens: usage.cacheReadTokens ?? 0, expectedTokens: Math.round(promptTokens * share) };
}

async function readDifference(
  place: BodyPlace,
  [one, other]: readonly [KeptBody, KeptBody],
  byte: number,
): Promise<BodyDifference> {
  const from = Math.max(0, byte - BEFORE_BYTES);
  const read = (body: KeptBody) => readBytes(place, body, { from, length: EXCERPT_BYTES });
  const [here, there] = [await read(one), await read(other)];
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    byte,
    path: locateByte(await readBytes(place, one, { length: byte }), byte),
    excerpts: [decode(here), decode(there)],
    bytes: [here[byte - from], there[byte - from]],
  };
}

async function comparedOf(session: Session, { version, body }: RequestEvent): Promise<ComparedRequest> {
  const history = await session.history();
  return { view: effectiveView(history.logAt(version)), isAsItCame: body?.isAsItCame === true };
}

function placeOf(message: Message | undefined, log: readonly Message[]) {
  if (message === undefined) return {};
  const { id, role } = message;
  const index = id === undefined ? -1 : log.findLastIndex((each) => each.id === id);
  return { messageId: id, role, messageIndex: index < 0 ? undefined : index };
}
