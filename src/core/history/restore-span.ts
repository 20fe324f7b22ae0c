import { assert, assertObject } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import { hidingFolds } from "../message/block-folds.ts";
import { checkMessages } from "../message/check-messages.ts";
import {
  collectStandIns,
  isHidden,
  isStandIn,
  liveTags,
  markerId,
  type ParentTags,
  summaryId,
} from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult } from "../message/tool-pairs.ts";
import { detectUnits } from "../message/units.ts";
import { withoutField, withoutTags } from "./clean-up.ts";
import { placeOfUnnamed } from "./message-name.ts";
import { restoreMessages } from "./restore.ts";

/** Messages of a log, both ends included. */
export interface MessageSpan {
  /** The id of its first message or, where it has none, what recall calls it: `#3` for its place in the log. */
  readonly from: string;
  /** The id of its last message, or `#3`. */
  readonly to: string;
}

/**
 * Shows the messages from one to another again, exactly as they were; the rest of the folds that hid them stays hidden. The span
 * grows to whole tool pairs and, where the view would begin with it, back to the start of its turn. A fold that hides nothing any more is gone with its stand-in.
 * @example
 * ```ts
 * import { compact, getEffectiveApiHistory, type Message, restoreSpan } from "palimpsest/core";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const restored = restoreSpan(compact(log, 3_000).messages, { from: "m10", to: "m11" });
 * console.log(getEffectiveApiHistory(restored).some(({ id }) => id === "m11")); // true
 * ```
 */
export function restoreSpan(messages: readonly Message[], span: MessageSpan): readonly Message[] {
  checkMessages(messages);
  const { first, last } = wholeSpan(messages, placesOf(messages, span));
  const standIns = collectStandIns(messages);
  // A provider reads nothing before its own compaction: to show any of that, the compaction itself has to be undone.
  const account = messages.findLastIndex(
    (message) => message.compaction === "provider" && !isHidden(message, standIns),
  );
  const accountId = first < account ? messages[account]?.condenseId : undefined;
  if (accountId !== undefined) return restoreMessages(messages, accountId);
  const shown = messages.map((message, index) => {
    if (index < first || index > last || isStandIn(message)) return message;
    return showMessage(message, liveTags(message, standIns));
  });
  const isSame = shown.every((message, index) => message === messages[index]);
  return isSame ? messages : withoutEmptyFolds(shown, messages);
}

interface Places {
  readonly first: number;
  readonly last: number;
}

function placesOf(messages: readonly Message[], span: MessageSpan): Places {
  assertObject("span", span);
  const [first, last] = [placeOf(messages, "from", span.from), placeOf(messages, "to", span.to)];
  assert(first <= last, "span.to", span.to, `a message that is not before ${JSON.stringify(span.from)}`);
  return { first, last };
}

function placeOf(messages: readonly Message[], name: keyof MessageSpan, id: string): number {
  assert(typeof id === "string" && id !== "", `span.${name}`, id, "the id of a message");
  const hasId = (message: Message) => message.id === id && !isStandIn(message);
  const named = name === "from" ? messages.findIndex(hasId) : messages.findLastIndex(hasId);
  if (named >= 0) return named;
  const place = placeOfUnnamed(messages, id);
  const unnamed = place === undefined ? undefined : messages[place];
  if (place !== undefined && unnamed !== undefined && !isStandIn(unnamed)) return place;
  throw new PalimpsestError(
    "not-found",
    `The log has no message with the id ${JSON.stringify(id)}, which span.${name} names.`,
  );
}

/** The span grown to whole units and, where the view would begin with it, back to the start of its turn. Stand-ins are in no unit. */
function wholeSpan(messages: readonly Message[], { first, last }: Places): Places {
  const said = messages.flatMap((message, index) => (isStandIn(message) ? [] : [index]));
  const units = detectUnits(said.flatMap((index) => messages[index] ?? []));
  const placed = units.map(({ start, end }) => ({ first: said[start] ?? 0, last: said[end - 1] ?? 0 }));
  const touched = placed.filter((unit) => unit.last >= first && unit.first <= last);
  const whole = { first: touched[0]?.first ?? first, last: touched.at(-1)?.last ?? last };
  const standIns = collectStandIns(messages);
  const isFirstInView = messages.slice(0, whole.first).every((message) => isHidden(message, standIns));
  if (!isFirstInView) return whole;
  const turn = messages.slice(0, whole.first + 1).findLastIndex(isStartOfTurn);
  return { ...whole, first: turn === -1 ? whole.first : turn };
}

/** Providers accept a conversation only if it begins with a user's message that answers no call. */
function isStartOfTurn(message: Message): boolean {
  return message.role === "user" && !isStandIn(message) && !contentBlocks(message.content).some(isToolResult);
}

function showMessage(message: Message, tags: ParentTags): Message {
  const shown = withoutTags(message, tags);
  // `resolve` shows more than the message says, and a notice hides nothing: both stay.
  const folds = shown.folds?.filter(({ kind }) => kind === "resolve" || kind === "notice") ?? [];
  if (folds.length === (shown.folds?.length ?? 0)) return shown;
  return folds.length === 0 ? withoutField(shown, "folds") : { ...shown, folds };
}

/** The messages without the stand-ins of folds that hid something in `before` and hide nothing now. */
function withoutEmptyFolds(messages: readonly Message[], before: readonly Message[]): readonly Message[] {
  const [hiding, hid] = [hidingIds(messages), hidingIds(before)];
  const isEmpty = (id: string | undefined) => id !== undefined && hid.has(id) && !hiding.has(id);
  const left = messages.filter((message) => !isEmpty(summaryId(message)) && !isEmpty(markerId(message)));
  return left.length === messages.length ? left : withoutEmptyFolds(left, messages);
}

/** The ids of folds that hide a message or a block. */
function hidingIds(messages: readonly Message[]): ReadonlySet<string> {
  const standIns = collectStandIns(messages);
  return new Set(
    messages.flatMap((message) => {
      const { condenseParent, truncationParent } = liveTags(message, standIns);
      const blocks = hidingFolds(message).map(({ foldId }) => foldId);
      return [condenseParent, truncationParent, ...blocks].filter((id) => id !== undefined);
    }),
  );
}
