import { effectiveView } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { ModelRegistry } from "../../../core/models/registry.ts";
import type { Store } from "../../../core/ports/store.ts";
import type { WireAdapter } from "../../../core/ports/wire-adapter.ts";
import {
  type BodyDifference,
  type ComparedRequest,
  explainCacheMiss,
  explainDifference,
} from "../../../core/requests/describe-difference.ts";
import { explainEarlierChange } from "../../../core/requests/earlier-change.ts";
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
  readonly registry: ModelRegistry;
}

/** How many bytes of an excerpt precede the first byte that differs. */
const BEFORE_BYTES = 40;
const EXCERPT_BYTES = 160;

/** Compares two requests: how much they share, where they differ, and who caused the difference. */
export function diffRoute({ store, sessions, adapters, registry }: DiffRouteOptions): Route {
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
      const listPaths = adapters.find(({ name }) => name === bodies[1].wire)?.listPaths ?? [];
      const sharedTokens = Math.round((b.promptTokens * shared) / Math.max(1, bodies[1].bytes));
      const isSame = shared === bodies[0].bytes && shared === bodies[1].bytes;
      const found = isSame ? SAME : await differenceOf(session, { requests: [a, b], bodies, place, shared, listPaths });
      const isNext = Number(call.param("other")) === Number(call.param("index")) + 1;
      const { cacheTtlMs } = registry.find(b.modelId);
      const earlier =
        isSame || found.cause !== "none"
          ? undefined
          : await earlierChange({ place, bodies, listPaths, wasChanged: b.body?.isAsItCame === false });
      const isMiss = isNext && found.cause === "none" && earlier === undefined;
      const missed = isMiss ? missedBy([a, b], sharedTokens, cacheTtlMs) : undefined;
      return Response.json({
        a: Number(call.param("index")),
        b: Number(call.param("other")),
        isSame,
        sharedBytes: shared,
        bytes: { a: bodies[0].bytes, b: bodies[1].bytes },
        sharedTokens,
        // The provider's diagnosis compares with the request right before, so it is shown only if that one is compared.
        diagnosis: isNext ? b.cacheDiagnosis : undefined,
        provider: b.usage && { cacheReadTokens: b.usage.cacheReadTokens ?? 0, expectedTokens: sharedTokens },
        ...found,
        ...earlier,
        ...(missed === undefined ? {} : { cause: "provider", sentence: missed }),
      });
    },
  });
}

const SAME = { cause: "none", sentence: "Both requests are the same bytes." };

/** Returns why the provider's cache missed a part that both requests share; undefined if it missed nothing, or cached nothing of these requests. */
function missedBy([a, b]: readonly [RequestEvent, RequestEvent], sharedTokens: number, cacheTtlMs: number) {
  const cached = [a, b].reduce(
    (sum, { usage }) => sum + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0),
    0,
  );
  if (cached === 0 || b.usage === undefined) return undefined;
  const { cacheReadTokens = 0 } = b.usage;
  return explainCacheMiss({ cacheReadTokens, sharedTokens, pauseMs: b.at - a.at, cacheTtlMs });
}

interface Compared {
  readonly requests: readonly [RequestEvent, RequestEvent];
  readonly bodies: readonly [KeptBody, KeptBody];
  readonly place: BodyPlace;
  readonly shared: number;
  readonly listPaths: WireAdapter["listPaths"];
}

async function differenceOf(session: Session, { requests: [a, b], bodies, place, shared, listPaths }: Compared) {
  const difference = await readDifference(place, bodies, shared);
  const compared = [await comparedOf(session, a), await comparedOf(session, b)] as const;
  const { cause, sentence, foldId, message, ...found } = explainDifference(difference, compared, listPaths);
  const [excerptA, excerptB] = difference.excerpts;
  const { log } = await session.snapshot();
  const first = { byte: shared, a: excerptA, b: excerptB, ...found, ...placeOf(message, log) };
  return { first, cause, foldId, sentence };
}

interface ComparedBodies extends Pick<Compared, "place" | "bodies" | "listPaths"> {
  /** Whether the gateway changed the second body. */
  readonly wasChanged: boolean;
}

/** The change of a part that the provider reads before the messages, though it stands behind them in the bodies; undefined if there is none. */
async function earlierChange({ place, bodies, listPaths, wasChanged }: ComparedBodies) {
  const texts = [await wholeText(place, bodies[0]), await wholeText(place, bodies[1])] as const;
  return explainEarlierChange(texts, { listPaths, wasChanged });
}

async function wholeText(place: BodyPlace, body: KeptBody): Promise<string> {
  return new TextDecoder().decode(await readBytes(place, body, { length: body.bytes }));
}

async function readDifference(
  place: BodyPlace,
  [one, other]: readonly [KeptBody, KeptBody],
  byte: number,
): Promise<BodyDifference> {
  const from = Math.max(0, byte - BEFORE_BYTES);
  const read = (body: KeptBody) => readBytes(place, body, { from, length: EXCERPT_BYTES });
  const excerpts = [await read(one), await read(other)] as const;
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    byte,
    path: locateByte(await readBytes(place, one, { length: byte }), byte),
    excerpts: [decode(excerpts[0]), decode(excerpts[1])],
    bytes: [excerpts[0][byte - from], excerpts[1][byte - from]],
  };
}

async function comparedOf(session: Session, { version, body }: RequestEvent): Promise<ComparedRequest> {
  const history = await session.history();
  return { view: effectiveView(history.logAt(version)), isAsItCame: body?.isAsItCame === true };
}

function placeOf(message: Message | undefined, log: readonly Message[]) {
  if (message === undefined) return {};
  const { id, role } = message;
  const index = id === undefined ? -1 : log.findLastIndex((logged) => logged.id === id);
  return { messageId: id, role, messageIndex: index < 0 ? undefined : index };
}
