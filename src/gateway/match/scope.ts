import type { IncomingHttpHeaders } from "node:http";
import type { SessionHeader } from "../../core/ports/wire-adapter.ts";

/** Limits the sessions that a request may belong to, by the session name that the request itself gives. */
export interface Scope {
  /** The id of the scope's first session; sessions that diverge from it are called `ID~…`. */
  readonly id: string;
  /** Whether the request says that it comes from a sub-agent. */
  readonly isSubAgent?: true;
  /** The names of the sub-agent and of its parent in the agent's headers. @default the headers name no parent */
  readonly lineage?: ScopeLineage;
}

/** The names of a sub-agent and its parent, as `AGENT:NAME`. A parent that is a sub-agent, too, has its own name here. */
export interface ScopeLineage {
  readonly ownName: string;
  readonly parentName: string;
}

/** How a request may name its session, as the adapters describe it. */
export interface SessionNaming {
  /** The most reliable header first. */
  readonly headers: readonly SessionHeader[];
  /** The agent whose session id the body holds; undefined where the body only holds a key for prompt caches. */
  readonly bodyAgent: string | undefined;
}

const LONGEST_NAME = 200;
/** Separates the id of a scope from the rest of a branch's id. */
export const BRANCH_MARK = "~";
const UNNAMED = "auto-";
/** The prefix of scopes that are named by a key for prompt caches: some agents change the key when they resume a session, some share it among sessions. */
const CACHE_KEY = "key:";

/** The scope of a request: by our header, else by the agent's header or body. Undefined where none of them names a session. */
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

/** Whether a session may belong to a scope; without a scope, whether it is a session that nobody named. */
export function isInScope(sessionId: string, scope: Scope | undefined): boolean {
  if (scope === undefined) return sessionId.startsWith(UNNAMED);
  if (isCacheKey(scope.id)) return sessionId.startsWith(CACHE_KEY);
  return sessionId === scope.id || sessionId.startsWith(`${scope.id}${BRANCH_MARK}`);
}

/** Whether the scope names one session of an agent; a key for prompt caches does not. */
export function isAgentNamed(scope: Scope | undefined): boolean {
  return scope !== undefined && !isCacheKey(scope.id);
}

/** Whether the id of a session or scope is made of a key for prompt caches. */
export function isCacheKey(id: string): boolean {
  return id.startsWith(CACHE_KEY);
}

/** The id of a session that diverges from others of its scope at this fingerprint; every gateway makes the same id. */
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
