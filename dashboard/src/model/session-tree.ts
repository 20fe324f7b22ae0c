import type { Relation, SessionInfo, SessionRewind, TreeEntry } from "../api/types.ts";
import { counted, timeAgo } from "./format.ts";

export interface TreeRow {
  readonly session: SessionInfo;
  readonly depth: number;
  readonly relation: Relation | undefined;
  /** The newest first. */
  readonly rewinds: readonly TreeRewind[];
}

/** A rewind that took messages out of the log, and when it was taken back, if it was. */
export interface TreeRewind extends SessionRewind {
  readonly takenBackAt: number | undefined;
  /** Whether it is the one that an undo takes back: the newest that was not, of those that took no messages too. */
  readonly isNext: boolean;
}

const RELATIONS: Readonly<Record<Relation, string>> = {
  branch: "a branch: parted from the session above",
  "sub-agent": "a sub-agent of the session above",
  compaction: "goes on after the agent's own compaction",
};

export function relationText(relation: Relation): string {
  return RELATIONS[relation] ?? relation;
}

const MOST_REWINDS = 3;

/** The newest rewinds that took messages out of the log: the undo of a restore is a rewind too, and takes none. */
function treeRewinds(rewinds: readonly SessionRewind[]): readonly TreeRewind[] {
  const takenBack = new Map(rewinds.filter(({ isUndo }) => isUndo).map(({ toVersion, at }) => [toVersion + 1, at]));
  const next = rewinds.find(({ isUndo, version }) => !isUndo && !takenBack.has(version));
  return rewinds
    .filter(({ isUndo, messages }) => !isUndo && messages !== 0)
    .slice(0, MOST_REWINDS)
    .map((rewind) => ({ ...rewind, takenBackAt: takenBack.get(rewind.version), isNext: rewind === next }));
}

/** "rewound 5 minutes ago: 14 messages were set aside, taken back 2 minutes ago". */
export function rewindText({ at, messages, takenBackAt }: TreeRewind, now: number): string {
  const what =
    messages === undefined ? "messages were" : `${counted(messages, "message")} ${messages === 1 ? "was" : "were"}`;
  const back = takenBackAt === undefined ? "" : `; taken back ${timeAgo(takenBackAt, now)}`;
  return `rewound ${timeAgo(at, now)}: ${what} set aside${back}`;
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
      const entry = entries.get(session.id);
      const relation = depth === 0 ? undefined : entry?.relation;
      rows.push({ session, depth, relation, rewinds: treeRewinds(entry?.rewinds ?? []) });
      for (const child of (children.get(session.id) ?? []).toReversed()) open.push([child, depth + 1]);
    }
  };
  for (const session of children.get(undefined) ?? []) add(session);
  for (const session of sessions) add(session);
  return rows;
}
