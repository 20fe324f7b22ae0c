import { isLedgerBlock } from "../condense/hybrid/hybrid-text.ts";
import { isLedger } from "../condense/ledger/ledger-text.ts";
import { messageName } from "../history/message-name.ts";
import { hidingFolds } from "../message/block-folds.ts";
import { isStandIn, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { Block, Message, ToolUseBlock } from "../message/message.ts";
import { isToolResult, isToolUse } from "../message/tool-pairs.ts";

/** Whether only what folds hide is searched, or the whole log. */
export type RecallScope = "hidden" | "all";

/** A block, or the string content of a message, and its position in the log. */
export interface BlockPlace {
  readonly message: Message;
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly block: Block | string;
  /** The block itself where it is a call, or the call that it answers. */
  readonly call: ToolUseBlock | undefined;
}

/** A growing log, and which of its blocks are in the scope of a search. */
export interface RecallLog {
  readonly messages: readonly Message[];
  /** Adds the messages that it does not have yet; returns all blocks that came into scope, older ones included. */
  add(messages: readonly Message[]): readonly BlockPlace[];
  /** The id of the fold that hides a block now; undefined where the view shows it. */
  foldIdOf(place: BlockPlace): string | undefined;
  /** The name by which `expandId` finds a message: its id, or `#` and its index where it has none. */
  idOf(messageIndex: number): string;
  /** A short name that `expandId` takes too: for a long id, the message's number in ledgers. */
  shortIdOf(messageIndex: number): string;
}

/** Longer ids are replaced by a number: those of providers take twenty tokens and more. */
const MAX_SHORT_CHARACTERS = 8;
/** Where the log itself has such ids, our numbers could be taken for them, and are not used. */
const LEDGER_NUMBER = /^m\d+$/;

/** An empty log. */
export function createRecallLog(scope: RecallScope): RecallLog {
  const messages: Message[] = [];
  const known = new Set<Message>();
  const condenseIds = new Set<string>();
  const truncationIds = new Set<string>();
  const standIns = { condenseIds, truncationIds };
  const latestCalls = new Map<string, ToolUseBlock>();
  let waiting: BlockPlace[] = [];
  /** For each message, how many were said before it: stand-ins do not count. */
  const numbers: number[] = [];
  let said = 0;
  let hasLedgerNumbers = false;

  function register(message: Message): readonly BlockPlace[] {
    known.add(message);
    const messageIndex = messages.push(message) - 1;
    const condenseId = summaryId(message);
    if (condenseId !== undefined) condenseIds.add(condenseId);
    const truncationId = markerId(message);
    if (truncationId !== undefined) truncationIds.add(truncationId);
    numbers.push(said);
    if (!isStandIn(message)) said++;
    if (message.id !== undefined && LEDGER_NUMBER.test(message.id)) hasLedgerNumbers = true;
    // A marker says nothing that anyone would search for, and a ledger only quotes the messages behind it.
    const isRepetition = truncationId !== undefined || (condenseId !== undefined && isLedger(message));
    if (isRepetition) return [];
    const places = placesOf(message, messageIndex);
    return condenseId === undefined ? places : places.filter(({ block }) => !isLedgerBlock(block));
  }

  function placesOf(message: Message, messageIndex: number): readonly BlockPlace[] {
    const blocks = typeof message.content === "string" ? [message.content] : message.content;
    return blocks.map((block, blockIndex) => {
      return { message, messageIndex, blockIndex, block, call: typeof block === "string" ? undefined : callOf(block) };
    });
  }

  function callOf(block: Block): ToolUseBlock | undefined {
    if (isToolUse(block)) latestCalls.set(block.id, block);
    // Some providers use an id again in a later turn: a result belongs to the call before it.
    if (isToolResult(block)) return latestCalls.get(block.tool_use_id);
    return isToolUse(block) ? block : undefined;
  }

  function idOf(messageIndex: number): string {
    const message = messages[messageIndex];
    return message === undefined ? `#${messageIndex}` : messageName(message, messageIndex);
  }

  function shortIdOf(messageIndex: number): string {
    const id = idOf(messageIndex);
    const message = messages[messageIndex];
    const hasNumber = !hasLedgerNumbers && message !== undefined && !isStandIn(message);
    return id.length > MAX_SHORT_CHARACTERS && hasNumber ? `m${numbers[messageIndex]}` : id;
  }

  function foldIdOf({ message, blockIndex }: BlockPlace): string | undefined {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    return (
      condenseParent ??
      truncationParent ??
      hidingFolds(message).findLast((fold) => fold.blockIndex === blockIndex)?.foldId
    );
  }

  /** Returns those of `places` that are in scope now; the others wait until a fold hides them. */
  function takeInScope(places: readonly BlockPlace[]): readonly BlockPlace[] {
    const inScope: BlockPlace[] = [];
    for (const place of places) {
      if (scope === "all" || foldIdOf(place) !== undefined) inScope.push(place);
      else waiting.push(place);
    }
    return inScope;
  }

  function add(added: readonly Message[]): readonly BlockPlace[] {
    const standInsBefore = condenseIds.size + truncationIds.size;
    const places: BlockPlace[] = [];
    for (const message of added) if (!known.has(message)) places.push(...register(message));
    // Only a new stand-in can hide earlier messages.
    if (condenseIds.size + truncationIds.size === standInsBefore) return takeInScope(places);
    const earlier = waiting;
    waiting = [];
    return [...takeInScope(earlier), ...takeInScope(places)];
  }

  return { messages, add, foldIdOf, idOf, shortIdOf };
}
