import type { Engine } from "../../../engine/engine.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields, optional, wholeNumber } from "../shape.ts";

const period = fields({
  since: optional(
    wholeNumber({
      description: "Only requests from this moment on, in milliseconds since the epoch.",
      least: 0,
      most: Number.MAX_SAFE_INTEGER,
      fallback: 0,
    }),
  ),
});

/** What sessions cost, and what they would have cost. */
export function statementRoutes(engine: Pick<Engine, "statement">, sessions: ApiSessions): readonly Route[] {
  return [
    queryRoute({
      path: "/palimpsest/api/statement",
      operationId: "getStatement",
      summary: "What all sessions cost, and what the same requests would have cost otherwise",
      description: "Reads the events of every session that is kept.",
      query: period,
      reply: { description: "The statement.", schema: ref("Statement") },
      answer: async ({ since }) => Response.json(await engine.statement({ since })),
    }),
    queryRoute({
      path: "/palimpsest/api/sessions/{id}/statement",
      operationId: "getSessionStatement",
      summary: "What a session cost, and what the same requests would have cost otherwise",
      query: period,
      reply: { description: "The statement.", schema: ref("Statement") },
      answer: async ({ since }, call) => {
        const { session } = await sessions.open(call.param("id"));
        return Response.json(await session.statement({ since }));
      },
    }),
    queryRoute({
      path: "/palimpsest/api/sessions/{id}/statement/history",
      operationId: "getSessionStatementHistory",
      summary: "What each request and each fold of a session cost, and what the requests would have cost otherwise",
      query: fields({}),
      reply: { description: "The requests and the folds, one by one.", schema: ref("StatementHistory") },
      answer: async (_, call) => {
        const { session } = await sessions.open(call.param("id"));
        return Response.json(await session.statementHistory());
      },
    }),
  ];
}
