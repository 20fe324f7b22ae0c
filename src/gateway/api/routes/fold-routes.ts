import { type Fold, listFolds } from "../../../core/history/list-folds.ts";
import { foldCleared } from "../../../core/history/provider-clearing.ts";
import { collectStandIns, markerId, summaryId } from "../../../core/message/effective-view.ts";
import { expandId } from "../../../core/recall/expand.ts";
import { clearingOf } from "../../../engine/session/provider-clearing.ts";
import type { SessionEvent } from "../../../engine/session/report.ts";
import { messageEntry } from "../message-entry.ts";
import { pageMembers, pageOf } from "../page.ts";
import { notFound, queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields } from "../shape.ts";

/** The folds and the events of a session. */
export function foldRoutes(sessions: ApiSessions): readonly Route[] {
  return [foldsRoute(sessions), foldRoute(sessions), eventsRoute(sessions)];
}

function foldsRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/folds",
    operationId: "listFolds",
    summary: "The folds that hold now, in an order in which they can be restored",
    query: fields(pageMembers),
    reply: { description: "A page of folds.", schema: ref("FoldPage") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const { version, log: ownLog } = await session.snapshot();
      const events = await session.events();
      const log = foldCleared(ownLog, clearingOf(events).cleared);
      const madeBy = eventsByFold(events);
      const page = pageOf(listFolds(log), query, (fold) => foldEntry(fold, madeBy));
      return Response.json({ version, folds: page.entries, total: page.total, nextAfter: page.nextAfter });
    },
  });
}

function foldRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/folds/{foldId}",
    operationId: "getFold",
    summary: "One fold, and the whole of what it hides",
    query: fields(pageMembers),
    reply: { description: "The fold, and a page of messages as they were said.", schema: ref("ExpandedFold") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const foldId = call.param("foldId");
      const events = await session.events();
      const log = foldCleared((await session.snapshot()).log, clearingOf(events).cleared);
      const fold = listFolds(log).find((listed) => listed.foldId === foldId);
      if (fold === undefined) throw noFold(foldId);
      const standIns = collectStandIns([]);
      const page = pageOf(expandId(log, foldId), query, (message, index) => messageEntry(message, index, standIns));
      const entry = foldEntry(fold, eventsByFold(events));
      const live = collectStandIns(log);
      const shown = log.flatMap((message, index) =>
        summaryId(message) === foldId || markerId(message) === foldId ? [messageEntry(message, index, live)] : [],
      );
      return Response.json({
        ...entry,
        standIns: shown,
        hidden: page.entries,
        total: page.total,
        nextAfter: page.nextAfter,
      });
    },
  });
}

function eventsRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/events",
    operationId: "listEvents",
    summary: "What happened to the session, in order",
    query: fields(pageMembers),
    reply: { description: "A page of events.", schema: ref("EventPage") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const version = await session.version();
      const page = pageOf(await session.events(), query, (event, index) => ({ index, ...event }));
      return Response.json({ version, events: page.entries, total: page.total, nextAfter: page.nextAfter });
    },
  });
}

type FoldEvent = Extract<SessionEvent, { readonly newContextTokens: number }>;

function eventsByFold(events: readonly SessionEvent[]): ReadonlyMap<string, FoldEvent> {
  const madeBy = new Map<string, FoldEvent>();
  for (const event of events) {
    if (event.type === "condense_context") madeBy.set(event.condenseId, event);
    if (event.type === "sliding_window_truncation") madeBy.set(event.truncationId, event);
    if (event.type === "blocks_folded") for (const foldId of event.foldIds) madeBy.set(foldId, event);
  }
  return madeBy;
}

function foldEntry({ foldId, kind, messages, blocks }: Fold, madeBy: ReadonlyMap<string, FoldEvent>) {
  const { at, prevContextTokens, newContextTokens } = madeBy.get(foldId) ?? {};
  return { foldId, kind, messages, blocks, at, prevContextTokens, newContextTokens };
}

function noFold(foldId: string) {
  return notFound(`The session has no fold ${JSON.stringify(foldId)}. Its folds list names those that hold now.`);
}
