import { isLedgerBlock } from "../condense/hybrid/hybrid-text.ts";
import { isLedger } from "../condense/ledger/ledger-text.ts";
import { messageName } from "../history/message-name.ts";
import { hidingFolds } from "../message/block-folds.ts";
import { isStandIn, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { Block, Message, ToolUseBlock } from "../message/message.ts";
import { isToolResult, isToolUse } from "../message/tool-pairs.ts";

/** What is searched: what the log's folds hide, or the whole of it. */
export type RecallScope = "hidden" | "all";

/** A block, or the string that a message consists of, and where it stands. */
export interface BlockPlace {
  readonly message: Message;
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly block: Block | string;
  /** The call that it is, or that it answers. */
  readonly call: ToolUseBlock | undefined;
}

/** A growing log that tells which of its blocks are to be searched. */
export interface RecallLog {
  readonly messages: readonly Message[];
  /** Takes the messages that it does not know yet; returns the blocks that are in scope since then. */
  add(messages: readonly Message[]): readonly BlockPlace[];
  /** The fold that hides a block, as things are now. */
  foldIdOf(place: BlockPlace): string | undefined;
  /** What `expandId` takes for a message: its id, or `#` and its place where it has none. */
  idOf(messageIndex: number): string;
  /** The same in few tokens: for a long id the number that a ledger has for the message. */
  shortIdOf(messageIndex: number): string;
}

/** Providers' ids take twenty tokens and more. */
const MAX_SHORT_CHARACTERS = 8;
/** Where messages are called so, a number of ours could be taken for one of those. */
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
    // A marker says nothing that anyone would look for, and a ledger only what the messages behind it say.
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

  /** Takes out of `places` those that are in scope now; the others wait for the fold that hides them. */
  function sift(places: readonly BlockPlace[]): readonly BlockPlace[] {
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
    // Only a stand-in can hide what came before it.
    if (condenseIds.size + truncationIds.size === standInsBefore) return sift(places);
    const earlier = waiting;
    waiting = [];
    return [...sift(earlier), ...sift(places)];
  }

  return { messages, add, foldIdOf, idOf, shortIdOf };
}
