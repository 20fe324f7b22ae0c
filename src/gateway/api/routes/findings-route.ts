import { PalimpsestError } from "../../../core/errors.ts";
import { findFindings } from "../../../core/findings/find-findings.ts";
import { type DeclaredTool, declaredTools, type Finding } from "../../../core/findings/finding.ts";
import type { ModelRegistry } from "../../../core/models/registry.ts";
import type { Store } from "../../../core/ports/store.ts";
import { type BodyPlace, readBytes } from "../../../engine/session/requests/read-body.ts";
import { type RequestEvent, requestsIn } from "../request-entry.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields } from "../shape.ts";

export interface FindingsRouteOptions {
  readonly store: Store;
  readonly sessions: ApiSessions;
  readonly registry: ModelRegistry;
}

/** Lists avoidable costs of a session, and hidden instructions that its agent no longer sees. */
export function findingsRoute({ store, sessions, registry }: FindingsRouteOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/sessions/{id}/findings",
    operationId: "getFindings",
    summary:
      "Repeated reads, unused tools, large results, thrash, hidden instructions and cold calls, each with its cost",
    query: fields({}),
    reply: {
      description: "What was found: what the agent no longer sees first, then the dearest.",
      schema: ref("Findings"),
    },
    answer: async (_, call) => {
      const { stored, session } = await sessions.open(call.param("id"));
      const requests = requestsIn(await session.events());
      const last = requests.at(-1);
      const { log, view } = await session.snapshot();
      const tools = last === undefined ? [] : await toolsOf(last, { store, sessionKey: stored.key });
      const entry = last && registry.find(last.modelId);
      const found = findFindings({ log, view, requests, entry, tools });
      return Response.json({ findings: found.map((finding) => findingEntry(finding, session.id)) });
    },
  });
}

/** Returns the tools that a request declared; none if its body is not kept. */
async function toolsOf({ body }: RequestEvent, place: BodyPlace): Promise<readonly DeclaredTool[]> {
  if (body === undefined) return [];
  try {
    return declaredTools(new TextDecoder().decode(await readBytes(place, body)));
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "not-found") return [];
    throw error;
  }
}

/** Returns a finding with the API call that remedies it, or the reason why there is none. */
function findingEntry({ remedy, ...finding }: Finding, sessionId: string) {
  const path = `/palimpsest/api/sessions/${encodeURIComponent(sessionId)}`;
  switch (remedy.type) {
    case "clear": {
      const { messageIds } = remedy;
      const label = finding.kind === "repeated-read" ? "Hide the older reads" : "Hide this result";
      return { ...finding, action: { label, method: "POST", path: `${path}/clear`, body: { messageIds } } };
    }
    case "restore": {
      const { from, to } = remedy;
      return {
        ...finding,
        action: { label: "Show it again", method: "POST", path: `${path}/restore`, body: { from, to } },
      };
    }
    case "none":
      return { ...finding, noAction: remedy.reason };
  }
}
