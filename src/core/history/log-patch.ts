import { isStandIn, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";

/** The difference between a log before and after it was folded, restored or marked; messages that it does not name stay as they are. */
export interface LogPatch {
  /** Indexes, in the log before, of stand-ins that are removed. */
  readonly removed: readonly number[];
  /** Messages whose fields change, by their indexes in the log before. */
  readonly changed: readonly ChangedMessage[];
  /** Stand-ins that are added, by their indexes in the log after; ascending. */
  readonly inserted: readonly { readonly index: number; readonly message: Message }[];
}

export interface ChangedMessage {
  readonly index: number;
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset: readonly string[];
}

/** The fields of a message by which it is folded; all others are what was said. */
export const FOLD_FIELDS: ReadonlySet<string> = new Set([
  "condenseParent",
  "truncationParent",
  "folds",
] satisfies (keyof Message)[]);

/** Whether a patch folds or restores something. One that only marks or edits messages, or adds a notice, does not. */
export function isFoldPatch({ removed, changed, inserted }: LogPatch): boolean {
  if (removed.length > 0 || inserted.length > 0) return true;
  return changed.some(
    ({ set, unset }) => !addsNotice(set) && [...Object.keys(set), ...unset].some((name) => FOLD_FIELDS.has(name)),
  );
}

/** Whether the newest fold of a message is a notice: each new fold is added last. */
function addsNotice({ folds }: ChangedMessage["set"]): boolean {
  return Array.isArray(folds) && Object(folds.at(-1)).kind === "notice";
}

/** A patch, and what the messages that it changes are afterwards, in the order of its changes. */
export interface LogDifference {
  readonly patch: LogPatch;
  readonly changedTo: readonly Message[];
}

/**
 * The patch that turns `before` into `after`; undefined where messages other than stand-ins were added or removed. The patch still applies once
 * messages were appended to `before`.
 */
export function compareLogs(before: readonly Message[], after: readonly Message[]): LogDifference | undefined {
  const removed: number[] = [];
  const changed: ChangedMessage[] = [];
  const changedTo: Message[] = [];
  const inserted: { readonly index: number; readonly message: Message }[] = [];
  let from = 0;
  let to = 0;
  while (from < before.length || to < after.length) {
    const old = before[from];
    const next = after[to];
    if (old !== undefined && old === next) {
      from += 1;
      to += 1;
    } else if (old !== undefined && next !== undefined && isSameEntry(old, next)) {
      const { set, unset } = changedFields(old, next);
      if (hasFields(set) || unset.length > 0) {
        changed.push({ index: from, set, unset });
        changedTo.push(next);
      }
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
  return { patch: { removed, changed, inserted }, changedTo };
}

/**
 * Applies a patch to a copy of the log; undefined where the patch was made for another log.
 * @default change changeFields
 */
export function applyPatch(
  before: readonly Message[],
  patch: LogPatch,
  change: (message: Message, change: ChangedMessage) => Message = changeFields,
): Message[] | undefined {
  // A log is long and a patch is small: what is not named is only copied, all of it at once.
  const after = [...before];
  return patchLog(after, patch, change) ? after : undefined;
}

/** Applies a patch in place, without copying the log. Returns false where the patch was made for another log; the array is then partly changed. */
export function patchLog(
  log: Message[],
  { removed, changed, inserted }: LogPatch,
  change: (message: Message, change: ChangedMessage) => Message,
): boolean {
  for (const changedMessage of changed) {
    const message = log[changedMessage.index];
    if (message === undefined) return false;
    log[changedMessage.index] = change(message, changedMessage);
  }
  if (removed.some((index) => log[index] === undefined)) return false;
  if (removed.length > 0) removeIndexes(log, new Set(removed));
  let next = 0;
  for (const { index, message } of inserted) {
    if (!Number.isInteger(index) || index < next || index > log.length) return false;
    log.splice(index, 0, message);
    next = index + 1;
  }
  return true;
}

function removeIndexes(log: Message[], removed: ReadonlySet<number>): void {
  let kept = 0;
  for (const [index, message] of log.entries()) if (!removed.has(index)) log[kept++] = message;
  log.length = kept;
}

/** Whether two entries at the same point of both logs are one message. Said messages keep their order, so they always are; stand-ins are compared by id. */
function isSameEntry(old: Message, next: Message): boolean {
  if (!isStandIn(old) && !isStandIn(next)) return true;
  return summaryId(old) === summaryId(next) && markerId(old) === markerId(next);
}

function changedFields(old: Message, next: Message): Pick<ChangedMessage, "set" | "unset"> {
  const [oldNames, nextNames] = [presentNames(old), presentNames(next)];
  const set = nextNames.filter((name) => fieldOf(old, name) !== fieldOf(next, name));
  return {
    set: Object.fromEntries(set.map((name) => [name, fieldOf(next, name)])),
    unset: oldNames.filter((name) => fieldOf(next, name) === undefined),
  };
}

/** The names of a message's fields that have a value: JSON, in which patches are stored, drops those that are undefined. */
function presentNames(message: Message): readonly string[] {
  return Object.keys(message).filter((name) => fieldOf(message, name) !== undefined);
}

function fieldOf(message: Message, name: string): unknown {
  return Object.hasOwn(message, name) ? Reflect.get(message, name) : undefined;
}

/** A copy of the message with the changed fields. */
export function changeFields(message: Message, { set, unset }: ChangedMessage): Message {
  const changed = { ...message, ...set };
  for (const name of unset) Reflect.deleteProperty(changed, name);
  return changed;
}

function hasFields(fields: object): boolean {
  return Object.keys(fields).length > 0;
}
