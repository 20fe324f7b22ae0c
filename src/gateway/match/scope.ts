import type { IncomingHttpHeaders } from "node:http";
import type { SessionHeader } from "../../core/ports/wire-adapter.ts";

/** Whose conversations a request may belong to: those of one session of an agent. */
export interface Scope {
  /** The id of the scope's first session; sessions that diverge from it are called `ID~…`. */
  readonly id: string;
  /** Whether the agent says that a sub-agent speaks. */
  readonly isSubAgent?: true;
  /** How the agent's own headers name the sub-agent and whoever started it. @default they name no parent */
  readonly lineage?: ScopeLineage;
}

/** Names of one agent, as `AGENT:NAME`: a parent that is a sub-agent too is called here by its own name. */
export interface ScopeLineage {
  readonly ownName: string;
  readonly parentName: string;
}

/** How a request may name a session, as the adapters have it. */
export interface SessionNaming {
  /** The most reliable header first. */
  readonly headers: readonly SessionHeader[];
  /** The agent whose session a body names; without one, a body names a key for caches. */
  readonly bodyAgent: string | undefined;
}

const LONGEST_NAME = 200;
/** Stands between the name of a session and that of a branch of it. */
export const BRANCH_MARK = "~";
const UNNAMED = "auto-";
/** A key for prompt caches: some agents choose another key when they resume a session, some share one among sessions. */
const CACHE_KEY = "key:";

/** What the request says about its session: our header, else the agent's own. Undefined where it says nothing. */
export function scopeOf(
  headers: IncomingHttpHeaders,
  agentSession: string | undefined,
  { headers: sessionHeaders, bodyAgent }: SessionNaming,
): Scope | undefined {
  const own = nameIn(headers["x-palimpsest-session"]);
  if (own !== undefined) return { id: own };
  for (const header of sessionHeaders) {
    const scope = scopeBy(headers, header);
    if (scope !== undefined) return scope;
  }
  const name = nameIn(agentSession);
  if (name === undefined) return undefined;
  return { id: `${bodyAgent === undefined ? CACHE_KEY : `${bodyAgent}:`}${name}` };
}

/** Stands between the name of a session and that of a sub-agent which it started. */
export const SUB_AGENT_MARK = "/";

function scopeBy(
  headers: IncomingHttpHeaders,
  { name: header, agent, subAgent, parent }: SessionHeader,
): Scope | undefined {
  const name = nameIn(headers[header]);
  if (name === undefined) return undefined;
  const subAgentName = nameIn(subAgent && headers[subAgent]);
  if (subAgentName !== undefined) {
    const id = `${agent}:${name}${SUB_AGENT_MARK}${subAgentName}`;
    return { id, isSubAgent: true, lineage: { ownName: id, parentName: `${agent}:${name}` } };
  }
  const parentName = nameIn(parent && headers[parent]);
  if (parentName === undefined || parentName === name) return { id: `${agent}:${name}` };
  const lineage = { ownName: `${agent}:${name}`, parentName: `${agent}:${parentName}` };
  return { id: `${agent}:${parentName}${SUB_AGENT_MARK}${name}`, isSubAgent: true, lineage };
}

/** Whether a session may belong to a scope; without one, whether nobody else named it. */
export function isInScope(sessionId: string, scope: Scope | undefined): boolean {
  if (scope === undefined) return sessionId.startsWith(UNNAMED);
  if (isCacheKey(scope.id)) return sessionId.startsWith(CACHE_KEY);
  return sessionId === scope.id || sessionId.startsWith(`${scope.id}${BRANCH_MARK}`);
}

/** Whether the agent says which session it is of: a key for caches says less. */
export function isAgentNamed(scope: Scope | undefined): boolean {
  return scope !== undefined && !isCacheKey(scope.id);
}

/** Whether a session, or a scope, is named by a key for caches alone. */
export function isCacheKey(id: string): boolean {
  return id.startsWith(CACHE_KEY);
}

/** The id for a conversation that diverges from others at a message with this fingerprint; the same in every gateway. */
export function branchId(scope: Scope | undefined, fingerprint: string): string {
  return scope === undefined ? `${UNNAMED}${fingerprint}` : `${scope.id}${BRANCH_MARK}${fingerprint}`;
}

/** Whether the agent says that it only wants its history summarised. */
export function isCompaction(headers: IncomingHttpHeaders): boolean {
  return headers["x-interaction-type"] === "conversation-compaction";
}

function nameIn(value: string | readonly string[] | undefined): string | undefined {
  const text = (typeof value === "string" ? value : value?.[0])?.trim();
  if (text === undefined || text === "") return undefined;
  // Names come from clients, and are written to headers and terminals; a lone surrogate has no encoding.
  const whole = text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
  return whole.replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character)).slice(0, LONGEST_NAME);
}
