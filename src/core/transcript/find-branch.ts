/** A record of a session file whose records name their parents. */
export interface BranchRecord {
  readonly id: string;
  /** Undefined for the first record of a branch. */
  readonly parentId: string | undefined;
  /** The record before it in the file, which replaces a parent that is missing or would make a cycle. */
  readonly previousId: string | undefined;
}

export interface Branch {
  /** From the root to the leaf. */
  readonly ids: readonly string[];
  /** Records whose parent could not be followed. */
  readonly brokenIds: readonly string[];
}

/** Finds the records on the path from the root to `leafId`. */
export function findBranch(records: ReadonlyMap<string, BranchRecord>, leafId: string): Branch {
  const seen = new Set<string>();
  const brokenIds: string[] = [];
  let id: string | undefined = leafId;
  while (id !== undefined) {
    seen.add(id);
    const record = records.get(id);
    let next: string | undefined = record?.parentId;
    if (next !== undefined && (seen.has(next) || !records.has(next))) {
      brokenIds.push(id);
      next = record?.previousId;
      while (next !== undefined && seen.has(next)) next = records.get(next)?.previousId;
    }
    id = next;
  }
  return { ids: [...seen].reverse(), brokenIds: brokenIds.reverse() };
}
