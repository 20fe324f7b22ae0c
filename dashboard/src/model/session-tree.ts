import type { Relation, SessionInfo, TreeEntry } from "../api/types.ts";

export interface TreeRow {
  readonly session: SessionInfo;
  readonly depth: number;
  readonly relation: Relation | undefined;
}

const RELATIONS: Readonly<Record<Relation, string>> = {
  branch: "a branch: parted from the session above",
  "sub-agent": "a sub-agent of the session above",
  compaction: "goes on after the agent's own compaction",
};

export function relationText(relation: Relation): string {
  return RELATIONS[relation] ?? relation;
}

/** Sessions with their children right below them; those whose parent is not listed stand at the top. Circles are broken. */
export function treeRows(sessions: readonly SessionInfo[], tree: readonly TreeEntry[]): readonly TreeRow[] {
  const listed = new Map(sessions.map((session) => [session.id, session]));
  const entries = new Map(tree.map((entry) => [entry.id, entry]));
  const children = new Map<string | undefined, SessionInfo[]>();
  for (const session of sessions) {
    const parentId = entries.get(session.id)?.parentId;
    const key = parentId !== undefined && parentId !== session.id && listed.has(parentId) ? parentId : undefined;
    children.set(key, [...(children.get(key) ?? []), session]);
  }
  const rows: TreeRow[] = [];
  const seen = new Set<string>();
  const add = (first: SessionInfo) => {
    const open: [SessionInfo, number][] = [[first, 0]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [session, depth] = next;
      if (seen.has(session.id)) continue;
      seen.add(session.id);
      rows.push({ session, depth, relation: depth === 0 ? undefined : entries.get(session.id)?.relation });
      for (const child of (children.get(session.id) ?? []).toReversed()) open.push([child, depth + 1]);
    }
  };
  for (const session of children.get(undefined) ?? []) add(session);
  for (const session of sessions) add(session);
  return rows;
}
