import { setImmediate } from "node:timers/promises";
import { listFolds } from "../../../core/history/list-folds.ts";
import { foldCleared } from "../../../core/history/provider-clearing.ts";
import { collectStandIns, isHidden, isStandIn } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { Store } from "../../../core/ports/store.ts";
import { countMessageTokens } from "../../../core/tokens/count-messages.ts";
import { listSessions } from "../../../engine/session/list-sessions.ts";
import { clearingOf } from "../../../engine/session/provider-clearing.ts";
import type { SessionEvent } from "../../../engine/session/report.ts";
import type { StatsKeeper } from "../../stats.ts";
import { DEFAULT_LIMIT, limitMember } from "../page.ts";
import { queryRoute, type Route } from "../route.ts";
import { COUNT, described, listOf, record, ref, STRING } from "../schemas/schema-parts.ts";
import { titlesOf } from "../session-titles.ts";
import { type ApiSessions, noSession, type OpenedSession } from "../sessions.ts";
import { fields, optional, wholeNumber } from "../shape.ts";

export interface SessionRoutesOptions {
  readonly store: Store;
  readonly stats: StatsKeeper;
  readonly sessions: ApiSessions;
}

const MAX_OFFSET = 1_000_000;

/** The list of sessions, and the sizes of one. */
export function sessionRoutes(options: SessionRoutesOptions): readonly Route[] {
  return [sessionsRoute(options), sessionRoute(options), titleRoute(options)];
}

function sessionsRoute({ store, stats }: SessionRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions",
    operationId: "listSessions",
    summary: "The sessions that are kept, those written to last first",
    query: fields({
      offset: optional(
        wholeNumber({ description: "How many are passed over.", least: 0, most: MAX_OFFSET, fallback: 0 }),
      ),
      limit: limitMember("The most sessions."),
    }),
    reply: {
      description: "The sessions.",
      schema: record({
        sessions: listOf(ref("SessionInfo")),
        "nextOffset?": described(COUNT, "What `offset` takes for more; missing where there are none."),
      }),
    },
    answer: async ({ offset = 0, limit = DEFAULT_LIMIT }) => {
      const end = offset + limit;
      const listed = await listSessions(store, { limit: end + 1 });
      const part = listed.slice(offset, end);
      const titles = await titlesOf(store, part);
      const shown = part.map(({ id, version, createdAt, updatedAt }, index) => {
        return { id, version, createdAt, updatedAt, title: titles[index], totals: stats.ofSession(id) };
      });
      return Response.json({ sessions: shown, nextOffset: listed.length > end ? end : undefined });
    },
  });
}

function sessionRoute({ stats, sessions }: SessionRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}",
    operationId: "getSession",
    summary: "One session: its sizes, folds and sums",
    query: fields({}),
    reply: { description: "The session.", schema: ref("SessionDetails") },
    answer: async (_, call) => {
      const id = call.param("id");
      const described = await describeSession(await sessions.open(id));
      return Response.json({ ...described, totals: stats.ofSession(id) });
    },
  });
}

/** A route of its own, because a heading needs only the title, and the sizes are counted over the whole log. */
function titleRoute({ store }: SessionRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/title",
    operationId: "getSessionTitle",
    summary: "The beginning of what a person asked for first in a session",
    query: fields({}),
    reply: {
      description: "The title.",
      schema: record({ "title?": described(STRING, "Missing where that cannot be told at once.") }),
    },
    answer: async (_, call) => {
      const id = call.param("id");
      const stored = await store.find(id);
      if (stored === undefined) throw noSession(id);
      const [title] = await titlesOf(store, [stored]);
      return Response.json({ title });
    },
  });
}

async function describeSession({ stored, session }: OpenedSession) {
  const { id, createdAt, updatedAt } = stored;
  const { version, log, view } = await session.snapshot();
  const events = await session.events();
  const standIns = collectStandIns(log);
  const spoken = log.filter((message) => !isStandIn(message));
  const foldedAt = events.flatMap((event) => (isFold(event) ? [event.at] : []));
  return {
    id,
    version,
    createdAt,
    updatedAt,
    messages: {
      log: spoken.length,
      view: view.length,
      hidden: spoken.filter((message) => isHidden(message, standIns)).length,
    },
    tokens: { log: await countInTurns(spoken), view: await countInTurns(view) },
    folds: listFolds(foldCleared(log, clearingOf(events).cleared)).length,
    condensations: events.filter(({ type }) => type === "condense_context").length,
    lastFoldAt: foldedAt.at(-1),
  };
}

function isFold({ type }: SessionEvent): boolean {
  return type === "condense_context" || type === "sliding_window_truncation" || type === "blocks_folded";
}

/** How long a log is counted without a pause, so that a long one does not hold up agents' requests. */
const LONGEST_TURN_MS = 10;

async function countInTurns(messages: readonly Message[]): Promise<number> {
  let tokens = 0;
  let turnEndsAt = performance.now() + LONGEST_TURN_MS;
  for (const message of messages) {
    tokens += countMessageTokens(message);
    if (performance.now() < turnEndsAt) continue;
    await setImmediate();
    turnEndsAt = performance.now() + LONGEST_TURN_MS;
  }
  return tokens;
}
