import { BRANCH_MARK, type Scope, type ScopeLineage, SUB_AGENT_MARK } from "./scope.ts";

/** The session that another one came from. */
export interface SessionParent {
  readonly parentId: string;
  readonly relation: "branch" | "sub-agent";
}

/** By how the gateway names what diverges from a session, and what a sub-agent of it says; undefined where no parent is among `ids`. */
export function parentOf(id: string, ids: ReadonlySet<string>): SessionParent | undefined {
  for (const [mark, relation] of [
    [BRANCH_MARK, "branch"],
    [SUB_AGENT_MARK, "sub-agent"],
  ] as const) {
    const at = id.lastIndexOf(mark);
    const parentId = at > 0 ? listedParent(id.slice(0, at), ids) : undefined;
    if (parentId !== undefined) return { parentId, relation };
  }
  return undefined;
}

/** A sub-agent may start another one, and is called by its own name there, by the same agent. */
function listedParent(parentId: string, ids: ReadonlySet<string>): string | undefined {
  if (ids.has(parentId)) return parentId;
  const agent = parentId.slice(0, parentId.indexOf(":") + 1);
  if (agent === "") return undefined;
  const ownName = parentId.slice(agent.length);
  return [...ids].find((id) => id.startsWith(agent) && id.endsWith(`${SUB_AGENT_MARK}${ownName}`));
}

/** Which sessions agents say belong together. Names of sessions are no proof of it: people choose them too. */
export interface SessionFamilies {
  /** Called with the scope of each request. */
  note(scope: Scope | undefined): void;
  /**
   * The others among `ids`, in their order, that the same conversation started: the parent of a sub-agent, its other sub-agents, and so on. Other
   * sessions of the same name (`ID~…`) are none of them.
   */
  of(id: string, ids: readonly string[]): readonly string[];
}

/** Of more sub-agents, those that began first are forgotten. */
const MAX_NOTED = 10_000;

/** Families by what the requests since the start of this gateway say: agents that run at once speak through it. */
export function createSessionFamilies(): SessionFamilies {
  const lineages = new Map<string, ScopeLineage>();

  function scopeIdOf(sessionId: string): string {
    const at = sessionId.lastIndexOf(BRANCH_MARK);
    return at > 0 && !lineages.has(sessionId) ? sessionId.slice(0, at) : sessionId;
  }

  return {
    note: (scope) => {
      if (scope?.lineage === undefined) return;
      lineages.set(scope.id, scope.lineage);
      const [oldest] = lineages.keys();
      if (lineages.size > MAX_NOTED && oldest !== undefined) lineages.delete(oldest);
    },
    of: (id, ids) => {
      const parents = new Map([...lineages.values()].map(({ ownName, parentName }) => [ownName, parentName]));
      const rootOfScope = (scopeId: string) => rootOf(lineages.get(scopeId)?.ownName ?? scopeId, parents);
      const own = scopeIdOf(id);
      const root = rootOfScope(own);
      return ids.filter((each) => scopeIdOf(each) !== own && rootOfScope(scopeIdOf(each)) === root);
    },
  };
}

function rootOf(name: string, parents: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let root = name;
  // Names that lead to each other must not keep anyone here.
  while (!seen.has(root)) {
    seen.add(root);
    root = parents.get(root) ?? root;
  }
  return root;
}
