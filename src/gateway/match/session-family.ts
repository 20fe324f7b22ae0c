import { BRANCH_MARK, SUB_AGENT_MARK } from "./scope.ts";

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

/** A sub-agent may start another one, and is called by its own name there. */
function listedParent(parentId: string, ids: ReadonlySet<string>): string | undefined {
  if (ids.has(parentId)) return parentId;
  const ownName = parentId.slice(parentId.indexOf(":") + 1);
  return [...ids].find((id) => id.endsWith(`${SUB_AGENT_MARK}${ownName}`));
}

/** The others among `ids` that the same conversation started: the parent of a sub-agent, its other sub-agents, and so on. In the order of `ids`. */
export function familyOf(id: string, ids: readonly string[]): readonly string[] {
  const known = new Set([...ids, id]);
  const root = rootOf(id, known);
  return ids.filter((each) => each !== id && rootOf(each, known) === root);
}

function rootOf(id: string, ids: ReadonlySet<string>): string {
  const seen = new Set<string>();
  let root = id;
  // Names that lead to each other must not keep anyone here.
  while (!seen.has(root)) {
    seen.add(root);
    root = parentOf(root, ids)?.parentId ?? familyName(root);
  }
  return root;
}

/** Of a sub-agent whose parent is not known, the name that it would have. */
function familyName(id: string): string {
  const at = id.indexOf(SUB_AGENT_MARK);
  return at > 0 ? id.slice(0, at) : id;
}
