import { hash } from "node:crypto";
import type { Store } from "../../core/ports/store.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";
import type { SessionLineage } from "../../engine/session/report.ts";
import type { Conversation, SessionPool } from "../sessions/session-pool.ts";
import { BRANCH_MARK, isInScope, type Scope, type ScopeLineage, SUB_AGENT_MARK } from "./scope.ts";

/** The session that another one came from. */
export interface SessionParent {
  readonly parentId: string;
  readonly relation: "branch" | "sub-agent";
}

/** Reads a session's parent from its id, which names the session that it branched from or the agent that started it; undefined where no parent is among `ids`. */
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

/** Finds a parent among `ids`. A sub-agent that started another one is named in its child's id without the name of its own parent. */
function listedParent(parentId: string, ids: ReadonlySet<string>): string | undefined {
  if (ids.has(parentId)) return parentId;
  const agent = parentId.slice(0, parentId.indexOf(":") + 1);
  if (agent === "") return undefined;
  const ownName = parentId.slice(agent.length);
  return [...ids].find((id) => id.startsWith(agent) && id.endsWith(`${SUB_AGENT_MARK}${ownName}`));
}

/** Finds the sessions that belong to one agent and its sub-agents, as the agents' headers said. Ids are no proof, as people choose them, too. */
export interface SessionFamilies {
  /** Records in a session which agent started its own, if the scope of a request that was written to the session says so. */
  note(conversation: Conversation, scope: Scope | undefined): void;
  /**
   * The other sessions among `ids`, in their order, that have the same root agent: the parent of a sub-agent, its other sub-agents, and so on.
   * Branches of the session itself (`ID~…`) are not included.
   */
  of(id: string, ids: readonly string[]): Promise<readonly string[]>;
}

export interface SessionFamiliesOptions {
  readonly store: Pick<Store, "search" | "read">;
  readonly pool: Pick<SessionPool, "track">;
  /** Called with the name of the step that failed and its error; neither holds content of a request. */
  readonly incident: (what: string, error: unknown) => void;
}

/** The most names of a family that are looked up, and the most records that one lookup reads: a family may be large. */
const [MOST_NAMES, MOST_FOUND_LINEAGES] = [1_000, 1_000];
const KEY_LENGTH = 32;

/** Creates session families that are read from the records of sessions: the same after a restart, and in every gateway on the same store. */
export function createSessionFamilies({ store, pool, incident }: SessionFamiliesOptions): SessionFamilies {
  async function keep(conversation: Conversation, lineage: SessionLineage): Promise<void> {
    try {
      await (await conversation.session()).recordLineage(lineage);
    } catch (error) {
      // The next request of the session tries again.
      conversation.agent.isLineageKept = false;
      incident("lineage", error);
    }
  }

  return {
    note: (conversation, scope) => {
      if (scope?.lineage === undefined || conversation.agent.isLineageKept) return;
      conversation.agent.isLineageKept = true;
      pool.track(keep(conversation, lineageOf(scope.id, scope.lineage)), "writing");
    },
    of: async (id, ids) => familyAmong(id, ids, await readLineages(id, store)),
  };
}

function lineageOf(scopeId: string, { ownName, parentName }: ScopeLineage): SessionLineage {
  const names = new Set([scopeId, ownName, parentName]);
  return { scopeId, ownName, parentName, keys: [...names].map(nameKey) };
}

/** The key under which the store finds the lineage of a name. It has a colon, so that it equals no word of a message. */
function nameKey(name: string): string {
  return `l:${hash("sha256", name, "hex").slice(0, KEY_LENGTH)}`;
}

/** Reads the recorded lineages of a session's family, by scope id: from each name that is found, the search continues to its parent and sub-agents. */
async function readLineages(
  sessionId: string,
  store: SessionFamiliesOptions["store"],
): Promise<ReadonlyMap<string, ScopeLineage>> {
  const lineages = new Map<string, ScopeLineage>();
  const searched = new Set<string>();
  let names = [...new Set([sessionId, withoutBranch(sessionId)])];
  while (names.length > 0 && searched.size < MOST_NAMES) {
    for (const name of names) searched.add(name);
    const found = await store.search(names.map(nameKey), { limit: MOST_FOUND_LINEAGES });
    const read = await Promise.all(found.map((place) => readLineage(store, place)));
    const recorded = read.flatMap((lineage) => lineage ?? []);
    for (const { scopeId, ownName, parentName } of recorded) lineages.set(scopeId, { ownName, parentName });
    const reached = recorded.flatMap(({ ownName, parentName }) => [ownName, parentName]);
    names = [...new Set(reached)].filter((name) => !searched.has(name));
  }
  return lineages;
}

/** Reads a lineage record; undefined where the record is none, or was made in another session: an imported or renamed copy is no relative. */
async function readLineage(
  store: Pick<Store, "read">,
  {
    sessionKey,
    sessionId,
    version,
  }: { readonly sessionKey: number; readonly sessionId: string; readonly version: number },
): Promise<SessionLineage | undefined> {
  try {
    const [stored] = await store.read(sessionKey, { afterVersion: version - 1, limit: 1 });
    const record = stored && parseRecord(stored.body);
    if (record?.type !== "event" || record.event.type !== "lineage") return undefined;
    return isInScope(sessionId, { id: record.event.scopeId }) ? record.event : undefined;
  } catch {
    // A session that is damaged or was deleted meanwhile must not hide the others: opening it gives the error.
    return undefined;
  }
}

function familyAmong(
  id: string,
  ids: readonly string[],
  lineages: ReadonlyMap<string, ScopeLineage>,
): readonly string[] {
  const parents = new Map([...lineages.values()].map(({ ownName, parentName }) => [ownName, parentName]));
  const scopeIdOf = (sessionId: string) => (lineages.has(sessionId) ? sessionId : withoutBranch(sessionId));
  const rootOfScope = (scopeId: string) => rootOf(lineages.get(scopeId)?.ownName ?? scopeId, parents);
  const own = scopeIdOf(id);
  const root = rootOfScope(own);
  return ids.filter((each) => scopeIdOf(each) !== own && rootOfScope(scopeIdOf(each)) === root);
}

function withoutBranch(sessionId: string): string {
  const at = sessionId.lastIndexOf(BRANCH_MARK);
  return at > 0 ? sessionId.slice(0, at) : sessionId;
}

function rootOf(name: string, parents: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let root = name;
  // Stops where names form a cycle.
  while (!seen.has(root)) {
    seen.add(root);
    root = parents.get(root) ?? root;
  }
  return root;
}
