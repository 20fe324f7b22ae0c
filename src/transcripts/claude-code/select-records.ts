import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { findBranch } from "../../core/transcript/find-branch.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import type { Part, SessionRecord } from "./read-record.ts";

export interface SelectedRecords {
  readonly records: readonly SessionRecord[];
  readonly problems: readonly TranscriptProblem[];
}

/**
 * Selects the records of the newest conversation in the file, in order. Parallel calls fork the tree (each result is a child of its own call), so
 * the parts of a reply on the branch, and the results of its calls, are included wherever they are in the tree.
 */
export function selectRecords(all: ReadonlyMap<string, SessionRecord>): SelectedRecords {
  const { records, problems } = withoutSidechains(all);
  const leaf = [...records.values()].findLast(({ part }) => part !== undefined);
  if (leaf === undefined) return { records: [], problems };
  const { ids, brokenIds } = findBranch(records, leaf.id);
  const places = new Map(ids.map((id, index) => [id, index]));
  const belongs = createMembershipTest(ids.flatMap((id) => records.get(id)?.part ?? []));

  const selected = new Map<string, SessionRecord>();
  const leftOut: SessionRecord[] = [];
  for (const record of records.values()) {
    if (record.part === undefined) continue;
    const isSelected = places.has(record.id) || belongs(record.part) || isAttachedToReply(record, selected);
    if (isSelected) selected.set(record.id, record);
    else leftOut.push(record);
  }
  const placeOf = createPlaceFinder(records, places);
  const keyed = [...selected.values()].map((record) => ({ record, place: placeOf(record) }));
  keyed.sort((a, b) => a.place - b.place || a.record.line - b.record.line);
  return {
    records: keyed.map(({ record }) => record),
    problems: [
      ...problems,
      ...brokenIds.flatMap((id) => brokenLink(records.get(id))),
      ...leftOutNote(leftOut, "of a branch that was edited or rewound"),
    ],
  };
}

function brokenLink(record: SessionRecord | undefined): readonly TranscriptProblem[] {
  // The parent of a compaction is often gone.
  if (record === undefined || record.part?.type === "boundary") return [];
  const reason = "Its parent is not in the file, or leads back to it; it was placed after the line before it.";
  return [{ where: `line ${record.line}`, reason }];
}

/** The problem that reports records that were left out; none if there are none. */
function leftOutNote(leftOut: readonly SessionRecord[], what: string): readonly TranscriptProblem[] {
  const [first] = leftOut;
  if (first === undefined) return [];
  return [{ where: `line ${first.line}`, reason: `${leftOut.length} record(s) ${what} were left out, from here on.` }];
}

function withoutSidechains(all: ReadonlyMap<string, SessionRecord>) {
  const entries = [...all];
  const main = new Map(entries.filter(([, record]) => !record.isSidechain));
  const sides = entries.flatMap(([, record]) => (record.isSidechain && record.part !== undefined ? [record] : []));
  const hasMain = [...main.values()].some(({ part }) => part !== undefined);
  // The file of a sub-agent holds only a side chain: it is the conversation there.
  if (!hasMain) return { records: all, problems: [] };
  return { records: main, problems: leftOutNote(sides, "of sub-agents") };
}

/** Whether a record is an attachment whose parent is a selected reply, such as a hook's output, which is a sibling of the call's result. */
function isAttachedToReply({ part, parentId }: SessionRecord, selected: ReadonlyMap<string, SessionRecord>): boolean {
  if (part?.type !== "user" || part.kind !== "attached" || parentId === undefined) return false;
  return selected.get(parentId)?.part?.type === "reply";
}

/** Returns a function that says whether a part belongs to the replies on the branch: as another line of a reply, or as the first result of a call. */
function createMembershipTest(parts: readonly Part[]): (part: Part) => boolean {
  const replies = new Set(parts.flatMap((part) => (part.type === "reply" ? [part.replyId] : [])));
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const part of parts) {
    for (const block of blocksOf(part)) {
      if (isToolUse(block)) calls.add(block.id);
      if (isToolResult(block)) answered.add(block.tool_use_id);
    }
  }
  return (part) => {
    if (part.type === "reply") {
      if (!replies.has(part.replyId)) return false;
      for (const block of part.blocks) if (isToolUse(block)) calls.add(block.id);
      return true;
    }
    const results = blocksOf(part).filter(isToolResult);
    const isMissing = results.some(({ tool_use_id: id }) => calls.has(id) && !answered.has(id));
    for (const { tool_use_id } of results) answered.add(tool_use_id);
    return isMissing;
  };
}

function blocksOf(part: Part) {
  if (part.type === "boundary") return [];
  return part.type === "reply" ? part.blocks : contentBlocks(part.content);
}

/** Returns a function that gives the index on the branch of a record, or of its nearest ancestor on the branch. */
function createPlaceFinder(records: ReadonlyMap<string, SessionRecord>, branch: ReadonlyMap<string, number>) {
  const places = new Map(branch);
  return ({ id }: SessionRecord): number => {
    const path: string[] = [];
    let next: string | undefined = id;
    while (next !== undefined && !places.has(next)) {
      path.push(next);
      // Marks the record as visited, in case of a cycle; its place is set below.
      places.set(next, branch.size);
      next = records.get(next)?.parentId;
    }
    const place = places.get(next ?? "") ?? branch.size;
    for (const visited of path) places.set(visited, place);
    return place;
  };
}
