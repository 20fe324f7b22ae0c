import { listFolds } from "../../../core/history/list-folds.ts";
import { collectStandIns } from "../../../core/message/effective-view.ts";
import type { Strata } from "../../../core/strata/build-strata.ts";
import { blockCount, describeMessage } from "../../../core/strata/describe-message.ts";
import { shownBlocks } from "../../../core/strata/shown-blocks.ts";
import { runsWithin, type StrataRow } from "../../../core/strata/strata-row.ts";
import { shownAs } from "../../../core/strata/strata-state.ts";
import { countMessageTokens } from "../../../core/tokens/count-messages.ts";
import { strataOf } from "../../../engine/session/requests/session-strata.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields, numberList, optional, wholeNumber } from "../shape.ts";

const NEWEST_MESSAGES = 2_000;
const NEWEST_REQUESTS = 500;
const MOST = 5_000;
const MOST_EXPANDED = 500;

const place = (description: string) => optional(wholeNumber({ description, least: 0, most: Number.MAX_SAFE_INTEGER }));

const windowMembers = {
  fromMessage: place(`The first row. By default the newest ${NEWEST_MESSAGES} are shown.`),
  toMessage: place(`Up to this row, without it; at most ${MOST} behind the first.`),
  fromRequest: place(`The first request. By default the newest ${NEWEST_REQUESTS} are shown.`),
  toRequest: place(`Up to this request, without it; at most ${MOST} behind the first.`),
  expand: optional(
    numberList({ description: "Rows whose blocks are shown too, as in `expand=3,17`.", mostItems: MOST_EXPANDED }),
  ),
};

/** What each request showed of each message, as runs. */
export function strataRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/strata",
    operationId: "getStrata",
    summary: "What each request showed of each message: sent, cached, as a stand-in, hidden or restored",
    description:
      "Rows are all messages that ever were in the log, in the order in which they came, also summaries, markers and what was rewound. Columns are requests. A row says in runs how requests in a row showed it; where no run is, the message was no part of the request. A message with several blocks says how many it has, and shows each of them like a row where `expand` names it.",
    query: fields(windowMembers),
    reply: { description: "A part of the table.", schema: ref("Strata") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const strata = await strataOf(session);
      const { version, log } = await session.snapshot();
      const shownRows = range(strata.rows.length, query.fromMessage, query.toMessage, NEWEST_MESSAGES);
      const shownRequests = range(strata.requests.length, query.fromRequest, query.toRequest, NEWEST_REQUESTS);
      const standIns = collectStandIns(log);
      const expanded = new Set(query.expand?.split(",").map(Number));
      const kinds = new Map(listFolds(log).map(({ foldId, kind }) => [foldId, kind]));
      const rows = strata.rows.slice(shownRows.from, shownRows.to).map((row, at) => {
        const now = row.isInLog ? shownAs(row.message, standIns) : undefined;
        const shownNow = now && { message: row.message, shown: now };
        const runs = runsWithin(row, shownRequests.from, shownRequests.to);
        const index = shownRows.from + at;
        const blocks = expanded.has(index) ? shownBlocks(row, { now: shownNow, ...shownRequests }) : undefined;
        return { ...rowEntry(row, index), nowState: now?.state, nowFoldId: now?.foldId, runs, blocks };
      });
      return Response.json({
        version,
        messages: { total: strata.rows.length, from: shownRows.from, rows },
        requests: {
          total: strata.requests.length,
          from: shownRequests.from,
          columns: columnsOf(strata, shownRequests),
        },
        folds: foldsOf(strata, shownRequests, kinds),
      });
    },
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function range(total: number, from: number | undefined, to: number | undefined, newest: number): Range {
  const end = Math.min(total, to ?? (from === undefined ? total : from + newest));
  const start = Math.min(end, from ?? Math.max(0, end - newest));
  return { from: start, to: Math.min(end, start + MOST) };
}

function rowEntry({ message, isInLog }: StrataRow, index: number) {
  const { id, role, important, condenseId, truncationId, isSummary, isTruncationMarker } = message;
  const { kind, label, toolName } = describeMessage(message);
  const isStandIn = kind === "summary" && (isSummary === true || isTruncationMarker === true);
  return {
    index,
    id,
    role,
    kind,
    label,
    toolName,
    tokens: countMessageTokens(message),
    standIn: isStandIn ? true : undefined,
    foldId: isStandIn ? (condenseId ?? truncationId) : undefined,
    isRewound: isInLog ? undefined : true,
    important: important === true ? true : undefined,
    blockCount: blockCount(message) > 1 ? blockCount(message) : undefined,
  };
}

function columnsOf({ requests }: Strata, { from, to }: Range) {
  return requests.slice(from, to).map(({ at, promptTokens, hiddenTokens, usage, foldIds, decision }, index) => ({
    index: from + index,
    at,
    promptTokens,
    hiddenTokens,
    cacheReadTokens: usage?.cacheReadTokens,
    foldIds,
    reason: decision.reason,
  }));
}

/** Returns the folds that a request of this range was the first to show. */
function foldsOf({ requests, shownFoldIds }: Strata, { from, to }: Range, kinds: ReadonlyMap<string, string>) {
  return requests.slice(from, to).flatMap(({ foldIds, decision }, at) => {
    const request = from + at;
    const [before, now] = [shownFoldIds[request - 1] ?? [], shownFoldIds[request] ?? []];
    if (before === now) return [];
    const known = new Set(before);
    return now
      .filter((foldId) => !known.has(foldId))
      .map((foldId) => {
        // A fold that was not made for the request was made by a person, or came back by a rewind.
        const cause = foldIds.includes(foldId) ? decision.reason : "hand";
        return { foldId, kind: kinds.get(foldId), request, cause, isHeld: kinds.has(foldId) };
      });
  });
}
