import { collectStandIns } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { Store } from "../../../core/ports/store.ts";
import { readRecord } from "../../../engine/session/journal/log-record.ts";
import { strataOf } from "../../../engine/session/requests/session-strata.ts";
import { messageEntry } from "../message-entry.ts";
import { pageMembers, pageOf } from "../page.ts";
import { notFound, queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions, OpenedSession } from "../sessions.ts";
import { fields } from "../shape.ts";

/** For messages of the view and of rewound branches, which no stand-in hides. */
const NO_STAND_INS = collectStandIns([]);

/** The log, the view and the messages of a session. */
export function messageRoutes(store: Store, sessions: ApiSessions): readonly Route[] {
  return [logRoute(sessions), viewRoute(sessions), messageRoute(store, sessions)];
}

function logRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/log",
    operationId: "getLog",
    summary: "The log: everything that was said, hidden or not, with the summaries and markers of its folds",
    query: fields(pageMembers),
    reply: { description: "A page of messages, as they were said.", schema: ref("MessagePage") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const { version, log } = await session.snapshot();
      const standIns = collectStandIns(log);
      const page = pageOf(log, query, (message, index) => messageEntry(message, index, standIns));
      return Response.json({ version, messages: page.entries, total: page.total, nextAfter: page.nextAfter });
    },
  });
}

function viewRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/view",
    operationId: "getView",
    summary: "The view: what is sent now",
    query: fields(pageMembers),
    reply: { description: "A page of messages, as they are sent.", schema: ref("MessagePage") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const { version, view } = await session.snapshot();
      const page = pageOf(view, query, (message, index) => messageEntry(message, index, NO_STAND_INS));
      return Response.json({ version, messages: page.entries, total: page.total, nextAfter: page.nextAfter });
    },
  });
}

function messageRoute(store: Store, sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/messages/{messageId}",
    operationId: "getMessage",
    summary: "One whole message as it was said, hidden or not, also one of a rewound branch",
    description: "`#3` is the message at that place of the log, for messages without an id.",
    query: fields({}),
    reply: { description: "The message.", schema: ref("WholeMessage") },
    answer: async (_, call) => {
      const opened = await sessions.open(call.param("id"));
      const messageId = call.param("messageId");
      const found = (await findInLog(opened, messageId)) ?? (await findRewound(store, opened, messageId));
      if (found === undefined) throw noMessage(messageId);
      return Response.json({ ...found, row: await rowOf(opened, found) });
    },
  });
}

async function findInLog({ session }: OpenedSession, id: string) {
  const { log } = await session.snapshot();
  const named = log.findLastIndex((message) => message.id === id);
  const index = named < 0 && /^#\d{1,15}$/.test(id) ? Number(id.slice(1)) : named;
  const found = log[index];
  return found && { ...messageEntry(found, index, collectStandIns(log)), isRewound: false };
}

/** Returns the index of the message among all messages that were ever in the log: the newest row of the strata that has it. */
async function rowOf({ session }: OpenedSession, { id }: { readonly id: string | undefined }) {
  if (id === undefined) return undefined;
  const { rows } = await strataOf(session);
  const row = rows.findLastIndex(({ message }) => message.id === id);
  return row < 0 ? undefined : row;
}

const RECORDS_AT_ONCE = 200;

/** Finds the newest message of this id among all records, including those of rewound branches. */
async function findRewound(store: Store, { stored }: OpenedSession, id: string) {
  let found: Message | undefined;
  for (let afterVersion = 0; ; ) {
    const rows = await store.read(stored.key, { afterVersion, limit: RECORDS_AT_ONCE });
    for (const { body, version } of rows) {
      afterVersion = version;
      const record = readRecord(body, { sessionId: stored.id, version });
      if (record.type === "message" && record.message.id === id) found = record.message;
    }
    if (rows.length < RECORDS_AT_ONCE) break;
  }
  return found && { ...messageEntry(found, 0, NO_STAND_INS), index: undefined, isRewound: true };
}

function noMessage(id: string) {
  return notFound(`The session has, and had, no message with the id ${JSON.stringify(id)}.`);
}
