import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Store } from "../../core/ports/store.ts";
import type { Engine } from "../../engine/engine.ts";
import { createMcpServer } from "../../integrations/mcp/create-mcp-server.ts";
import type { EarlierHit, McpSessions, SessionChoice } from "../../integrations/mcp/mcp-sessions.ts";
import type { ActivityFeed } from "../activity.ts";
import type { SessionFamilies } from "../match/session-family.ts";
import { nameOfError } from "../name-of-error.ts";
import { recallRewound } from "./recall-rewound.ts";
import type { ApiSessions } from "./sessions.ts";

export const MCP_PATH = "/palimpsest/mcp";

const MAX_BODY_BYTES = 1024 * 1024;
/** How many of the sessions with the newest messages are searched for a fold that a call names. */
const MAX_RECENT = 8;
/** How many stored sessions are examined to find those of one family. */
const MAX_LISTED = 1_000;

export interface McpEndpointOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly sessions: ApiSessions;
  readonly feed: ActivityFeed;
  /** Groups the sessions that are searched together. @default each session is searched alone */
  readonly families?: SessionFamilies | undefined;
  readonly version: string;
  /** Resolves when all requests so far are written to their sessions. @default at once */
  readonly written?: (() => Promise<void>) | undefined;
  readonly now: () => number;
}

/** Serves the Model Context Protocol over HTTP. It expects requests that the server's guard has let pass, like the API. */
export interface McpEndpoint {
  answer(request: Request): Promise<Response>;
  close(): void;
}

/** Creates an endpoint that serves the session that its URL names (`?session=ID`), or else the sessions with the newest messages. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { feed, version, written } = options;
  const recent = followRecent(feed);
  let loaded: Promise<McpHttpHandler> | undefined;

  function sessionsFor(request: Request | undefined): McpSessions {
    const named = request && new URL(request.url).searchParams.get("session");
    const choice: SessionChoice = named ? { type: "fixed", id: named } : { type: "current", recent: recent.ids };
    return gatewaySessions(options, choice);
  }

  async function load(): Promise<McpHttpHandler> {
    const { createMcpHandler } = await import("@modelcontextprotocol/server");
    return createMcpHandler(({ requestInfo }) => createMcpServer({ sessions: sessionsFor(requestInfo), version }), {
      maxRequestBodySize: MAX_BODY_BYTES,
    });
  }

  return {
    answer: async (request) => {
      await written?.();
      loaded ??= load();
      return (await loaded).fetch(request);
    },
    close: () => {
      recent.close();
      // Not awaited: requests that are still being answered are broken off.
      void loaded?.then((handler) => handler.close()).catch(() => {});
    },
  };
}

function gatewaySessions(options: McpEndpointOptions, choice: SessionChoice): McpSessions {
  const { engine, store, sessions, feed, families, now } = options;
  return {
    open: async (id) => ((await store.find(id)) === undefined ? undefined : engine.session(id)),
    list: (limit) => engine.sessions({ limit }),
    search: (query, budgetTokens) => engine.recall(query, { budgetTokens }),
    searchEarlier: async (session, query, budgetTokens) => {
      const stored = await store.find(session.id);
      if (stored === undefined) return [];
      const { log } = await session.snapshot();
      return recallRewound(query, { store, stored, log, budgetTokens });
    },
    searchFamily: async (session, query, budgetTokens) => {
      if (families === undefined) return [];
      const listed = (await store.list({ limit: MAX_LISTED })).map(({ id }) => id);
      const recent = choice.type === "current" ? choice.recent() : [];
      const family = (await families.of(session.id, [...new Set([...recent, ...listed])])).slice(0, MAX_RECENT);
      const found = await Promise.all(family.map((id) => recallHidden(engine, id, { query, budgetTokens })));
      return found.flat();
    },
    choice,
    changed: sessions.changed,
    failed: (error) => feed.publish({ type: "incident", at: now(), what: "mcp", error: nameOfError(error) }),
  };
}

async function recallHidden(
  engine: Engine,
  sessionId: string,
  { query, budgetTokens }: { readonly query: string; readonly budgetTokens: number },
): Promise<readonly EarlierHit[]> {
  try {
    const session = await engine.session(sessionId);
    return (await session.recall(query, { budgetTokens })).map((hit) => ({ ...hit, sessionId }));
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: opening it gives the error.
    return [];
  }
}

/** Follows which sessions got messages last; `ids` returns them, the newest first. */
function followRecent(feed: ActivityFeed): { ids(): readonly string[]; close(): void } {
  let ids: readonly string[] = [];
  const close = feed.listen((activity) => {
    const isSaid = activity.type === "session" && (activity.change === "created" || activity.change === "appended");
    if (isSaid) ids = [activity.sessionId, ...ids.filter((id) => id !== activity.sessionId)].slice(0, MAX_RECENT);
  });
  return { ids: () => ids, close };
}
