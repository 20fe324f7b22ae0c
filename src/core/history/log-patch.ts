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

/** The fields of a message by which it is folded: they say nothing of their own. */
export const FOLD_FIELDS: ReadonlySet<string> = new Set([
  "condenseParent",
  "truncationParent",
  "folds",
] satisfies (keyof Message)[]);

/** Whether a patch folds something or shows it again, and not only marks or edits messages. */
export function isFoldPatch({ removed, changed, inserted }: LogPatch): boolean {
  if (removed.length > 0 || inserted.length > 0) return true;
  return changed.some(
    ({ set, unset }) => !addsNotice(set) && [...Object.keys(set), ...unset].some((name) => FOLD_FIELDS.has(name)),
  );
}

/** A notice is always the newest fold of its message. */
function addsNotice({ folds }: ChangedMessage["set"]): boolean {
  return Array.isArray(folds) && Object(folds.at(-1)).kind === "notice";
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
    const old = before[from];
    const next = after[to];
    if (old !== undefined && old === next) {
      from += 1;
      to += 1;
    } else if (old !== undefined && next !== undefined && isSameEntry(old, next)) {
      changed.push({ index: from, ...changedFields(old, next) });
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

/**
 * The log with a patch in place, as a new array; undefined where the patch was made for another log.
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

/** The same in the array itself, which costs what the patch names. False where it was made for another log: then the array is of no use. */
export function patchLog(
  log: Message[],
  { removed, changed, inserted }: LogPatch,
  change: (message: Message, change: ChangedMessage) => Message,
): boolean {
  for (const each of changed) {
    const message = log[each.index];
    if (message === undefined) return false;
    log[each.index] = change(message, each);
  }
  if (removed.some((index) => log[index] === undefined)) return false;
  if (removed.length > 0) removePlaces(log, new Set(removed));
  let next = 0;
  for (const { index, message } of inserted) {
    if (!Number.isInteger(index) || index < next || index > log.length) return false;
    log.splice(index, 0, message);
    next = index + 1;
  }
  return true;
}

function removePlaces(log: Message[], gone: ReadonlySet<number>): void {
  let kept = 0;
  for (const [index, message] of log.entries()) if (!gone.has(index)) log[kept++] = message;
  log.length = kept;
}

/** Messages keep their order, so the next one of each log is the same one; stand-ins are known by their ids. */
function isSameEntry(old: Message, next: Message): boolean {
  if (!isStandIn(old) && !isStandIn(next)) return true;
  return summaryId(old) === summaryId(next) && markerId(old) === markerId(next);
}

function changedFields(old: Message, next: Message): Pick<ChangedMessage, "set" | "unset"> {
  const [oldFields, nextFields] = [presentFields(old), presentFields(next)];
  const set = [...nextFields].filter(([name, value]) => oldFields.get(name) !== value);
  return { set: Object.fromEntries(set), unset: [...oldFields.keys()].filter((name) => !nextFields.has(name)) };
}

/** A field that is undefined is none: a patch that is kept as JSON could not tell it. */
function presentFields(message: Message): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(message).filter(([, value]) => value !== undefined));
}

/** The message with other fields, as a copy. */
export function changeFields(message: Message, { set, unset }: ChangedMessage): Message {
  const changed = { ...message, ...set };
  for (const name of unset) Reflect.deleteProperty(changed, name);
  return changed;
}

function hasFields(fields: object): boolean {
  return Object.keys(fields).length > 0;
}
