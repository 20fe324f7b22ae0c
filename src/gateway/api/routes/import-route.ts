import { isRecord } from "../../../core/json/read-json.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { SessionExport } from "../../../engine/session/session-export.ts";
import { bodyRoute, type Route } from "../route.ts";
import { COUNT, record, STRING } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import type { Shape } from "../shape.ts";

const MAX_EXPORT_BYTES = 256 * 1024 * 1024;

/** Checks only that the body is an export. The engine checks every record. */
const exported: Shape<SessionExport> = {
  schema: {
    type: "object",
    description: "What `GET /palimpsest/api/sessions/{id}/export`, or `palimpsest sessions export`, gave.",
    properties: { format: { const: "palimpsest-session" }, id: STRING, records: { type: "array" } },
    required: ["format", "id", "records"],
  },
  isOptional: false,
  accepts: (value): value is SessionExport => isRecord(value) && value.format === "palimpsest-session",
  problemOf: (value) =>
    exported.accepts(value)
      ? undefined
      : "The body is no exported session. Send what the export of a session gave, as it was.",
};

/** Creates a session from an export. */
export function importRoute(engine: Pick<Engine, "importSession">, sessions: ApiSessions): Route {
  return bodyRoute({
    method: "post",
    path: "/palimpsest/api/session-import",
    operationId: "importSession",
    summary:
      "Make a session of one that was exported, with all that was rewound; refused where there is one of its name",
    body: exported,
    maxBodyBytes: MAX_EXPORT_BYTES,
    reply: { description: "It is there.", schema: record({ id: STRING, version: COUNT }) },
    answer: async (given) => {
      const session = await engine.importSession(given);
      sessions.changed(session.id, "created");
      return Response.json({ id: session.id, version: await session.version() });
    },
  });
}
