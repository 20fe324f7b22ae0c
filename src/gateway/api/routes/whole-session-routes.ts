import type { Store, StoredSession } from "../../../core/ports/store.ts";
import { listSessions } from "../../../engine/session/list-sessions.ts";
import { parentOf } from "../../match/session-family.ts";
import { DEFAULT_LIMIT, limitMember } from "../page.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import { rewindsOf } from "../session-rewinds.ts";
import { titlesOf } from "../session-titles.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields } from "../shape.ts";

export interface WholeSessionOptions {
  readonly store: Store;
  readonly sessions: ApiSessions;
}

const PATH = "/palimpsest/api/sessions/{id}";

/** Routes for whole sessions: the tree of sessions and their parents, verification, and export. */
export function wholeSessionRoutes({ store, sessions }: WholeSessionOptions): readonly Route[] {
  return [treeRoute(store), verifyRoute(sessions), exportRoute(sessions)];
}

function treeRoute(store: Store): Route {
  return queryRoute({
    path: "/palimpsest/api/session-tree",
    operationId: "getSessionTree",
    summary:
      "The sessions that were written to last, with the one that each came from, where that is known, and its rewinds",
    query: fields({ limit: limitMember("The most sessions.") }),
    reply: { description: "The sessions, each with its parent.", schema: ref("SessionTree") },
    answer: async ({ limit = DEFAULT_LIMIT }) => {
      const listed = await listSessions(store, { limit });
      const ids = new Set(listed.map(({ id }) => id));
      const titles = await titlesOf(store, listed);
      const rewinds = await rewindsOf(store, listed);
      const entries = listed.map((session, index) => {
        return { ...treeEntry(session, ids), title: titles[index], rewinds: rewinds.get(session.key) };
      });
      return Response.json({ sessions: entries });
    },
  });
}

function treeEntry({ id, version, createdAt, updatedAt }: StoredSession, ids: ReadonlySet<string>) {
  return { id, version, createdAt, updatedAt, ...parentOf(id, ids) };
}

function verifyRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: `${PATH}/verify`,
    operationId: "verifySession",
    summary: "Reads all of a session again, and proves that every record is what was written",
    query: fields({}),
    reply: { description: "What came of it.", schema: ref("Verification") },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      return Response.json(await session.verify());
    },
  });
}

function exportRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: `${PATH}/export`,
    operationId: "exportSession",
    summary: "All of a session as plain data, also what was rewound; the bodies of its requests are no part of it",
    query: fields({}),
    reply: { description: "What `palimpsest sessions import` takes.", schema: { type: "object" } },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      const name = encodeURIComponent(session.id);
      const headers = { "content-disposition": `attachment; filename*=UTF-8''${name}.json` };
      return Response.json(await session.export(), { headers });
    },
  });
}
