import { isStandIn, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";

/** How one log becomes another by folding, restoring or marking: all that is not named stays as it was. */
export interface LogPatch {
  /** Stand-ins that go, by their places in the log before. */
  readonly removed: readonly number[];
  /** Messages whose fields change, by their places in the log before. */
  readonly changed: readonly ChangedMessage[];
  /** Stand-ins that come, by their places in the log after; in order. */
  readonly inserted: readonly { readonly index: number; readonly message: Message }[];
}

export interface ChangedMessage {
  readonly index: number;
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset: readonly string[];
}

/**
 * The patch that makes `after` of `before`. Only stand-ins may come and go; undefined where something else does. Messages may be
 * appended to a log that a patch was made for: it still fits.
 */
export function diffLogs(before: readonly Message[], after: readonly Message[]): LogPatch | undefined {
  const removed: number[] = [];
  const changed: ChangedMessage[] = [];
  const inserted: { readonly index: number; readonly message: Message }[] = [];
  let from = 0;
  let to = 0;
  while (from < before.length || to < after.length) {
    const [old, next] = [before[from], after[to]];
    if (old !== undefined && next !== undefined && isSameEntry(old, next)) {
      if (old !== next) changed.push({ index: from, ...changedFields(old, next) });
      from += 1;
      to += 1;
    } else if (next !== undefined && isStandIn(next)) {
      inserted.push({ index: to, message: next });
      to += 1;
    } else if (old !== undefined && isStandIn(old)) {
      removed.push(from);
      from += 1;
    } else return undefined;
  }
  return { removed, changed: changed.filter(({ set, unset }) => hasFields(set) || unset.length > 0), inserted };
}

/** The log with a patch in place; undefined where the patch was made for another log. */
export function applyPatch(before: readonly Message[], patch: LogPatch): readonly Message[] | undefined {
  const gone = new Set(patch.removed);
  const changes = new Map(patch.changed.map((change) => [change.index, change]));
  if ([...gone, ...changes.keys()].some((index) => before[index] === undefined)) return undefined;
  const kept = before.flatMap((message, index) => {
    if (gone.has(index)) return [];
    const change = changes.get(index);
    return [change === undefined ? message : changeFields(message, change)];
  });
  const after: Message[] = [];
  let taken = 0;
  for (const { index, message } of patch.inserted) {
    const missing = index - after.length;
    if (missing < 0 || taken + missing > kept.length) return undefined;
    for (const end = taken + missing; taken < end; taken++) push(after, kept[taken]);
    after.push(message);
  }
  for (; taken < kept.length; taken++) push(after, kept[taken]);
  return after;
}

function push(messages: Message[], message: Message | undefined): void {
  if (message !== undefined) messages.push(message);
}

/** Messages keep their order, so the next one of each log is the same one; stand-ins are known by their ids. */
function isSameEntry(old: Message, next: Message): boolean {
  if (old === next) return true;
  if (!isStandIn(old) && !isStandIn(next)) return true;
  return summaryId(old) === summaryId(next) && markerId(old) === markerId(next);
}

function changedFields(old: Message, next: Message): Pick<ChangedMessage, "set" | "unset"> {
  const [oldFields, nextFields] = [new Map(Object.entries(old)), new Map(Object.entries(next))];
  const set = [...nextFields].filter(([name, value]) => !oldFields.has(name) || oldFields.get(name) !== value);
  return { set: Object.fromEntries(set), unset: [...oldFields.keys()].filter((name) => !nextFields.has(name)) };
}

function changeFields(message: Message, { set, unset }: ChangedMessage): Message {
  const changed = { ...message, ...set };
  for (const name of unset) Reflect.deleteProperty(changed, name);
  return changed;
}

function hasFields(fields: object): boolean {
  return Object.keys(fields).length > 0;
}
