import { assertFunction, assertNumber, assertObject } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import type { Message } from "../../message/message.ts";
import { wellFormed } from "../../text/well-formed.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { chatCandidates } from "./chat/chat-candidates.ts";
import { isChat } from "./chat/is-chat.ts";
import { quoteChat } from "./chat/quote-chat.ts";
import { findCandidates, type LogCandidates } from "./find-candidates.ts";
import { judgeLog } from "./judge-log.ts";
import { CHAT_OPENING, LEDGER_OPENING } from "./ledger-text.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { listFiles } from "./list-files.ts";
import { logBlocks } from "./log-blocks.ts";
import { favourNeeded, type NeededPlace } from "./needed-places.ts";
import { createPacker, type PackedLines } from "./pack-lines.ts";
import { quoteSections } from "./quote-sections.ts";
import { runsOf } from "./runs.ts";
import type { SourceLine } from "./source-lines.ts";
import { stateBlock } from "./state/state-block.ts";

export interface WriteLedgerOptions {
  /** The text never has more tokens. */
  readonly budgetTokens: number;
  /** Counts the tokens of the text in its message. @default countContentTokens */
  readonly countTokens?: (text: string) => number;
  /** The messages that the view shows beside the ledger: lines that can be read there are not repeated. @default none */
  readonly visible?: readonly Message[];
  /** Whether a block at the top describes the state of the work. @default false */
  readonly tellsState?: boolean;
  /** The messages before the newest turn: only their lines are judged, where `visible` shows all others. @default all messages */
  readonly past?: readonly Message[] | undefined;
  /** How lines are judged. @default LEDGER_WEIGHTS */
  readonly weights?: LedgerWeights | undefined;
  /** Places that a model found to be needed, the most needed first; not used in conversations without tools. @default none */
  readonly needed?: readonly NeededPlace[];
}

export interface Ledger {
  /** Empty where the budget has no room for a single line. */
  readonly text: string;
  readonly tokens: number;
  /** How many lines are quoted. */
  readonly lines: number;
}

const EMPTY: Ledger = { text: "", tokens: 0, lines: 0 };

/** Tries to fill the budget: tokens counted line by line do not quite add up to those of the text, and counters differ. */
const MAX_TRIES = 6;
const GOOD_SHARE = 0.97;
/** The first try aims a little low, which mostly saves the second one. */
const FIRST_SHARE = 0.995;
const FILES_SHARE = 0.05;
const STATE_SHARE = 0.1;

/**
 * Quotes the lines of a log that its agent will most likely need, word for word and in order, below the numbers of their messages, within
 * the budget. Reads the log as it was said, whatever folds hide. In a very long log, only the newest messages and what the person said
 * are read.
 */
export function writeLedger(messages: readonly Message[], options: WriteLedgerOptions): Ledger {
  checkMessages(messages);
  assertObject("options", options);
  const { budgetTokens, visible = [], tellsState = false, past = messages, weights, needed = [] } = options;
  assertNumber("budgetTokens", budgetTokens);
  const { countTokens = countContentTokens } = options;
  assertFunction("countTokens", countTokens);
  if (budgetTokens <= leastTokens()) return EMPTY;
  const blocks = logBlocks(messages);
  if (isChat(blocks)) {
    const found = chatCandidates(blocks, { visible, budgetTokens });
    return fitLedger({
      pack: createPacker(found.candidates, found),
      quote: ({ chosen }) => quoteChat(found, chosen),
      opening: CHAT_OPENING,
      budgetTokens,
      countTokens,
      most: found.candidates.length,
    });
  }
  const state = stateBlock(blocks, visible, tellsState ? budgetTokens * STATE_SHARE : 0);
  const unquoted = withoutQuoted(findCandidates(judgeLog(past, weights), visible), state.quoted);
  const found = favourNeeded(unquoted, needed, budgetTokens);
  const filesTokens = budgetTokens * FILES_SHARE;
  const noRuns = runsOf(found);
  return fitLedger({
    pack: createPacker(found.candidates, { ...found, runs: noRuns }),
    quote: ({ runs = noRuns }) => {
      const { lines, headed } = quoteSections(found, runs);
      return [...listFiles(blocks, headed, filesTokens), ...lines];
    },
    opening: state.text === "" ? LEDGER_OPENING : `${LEDGER_OPENING}\n${state.text}`,
    budgetTokens,
    countTokens,
    most: found.candidates.length,
  });
}

/** The tokens of the shorter opening. A ledger of no more tokens could quote nothing. */
function leastTokens(): number {
  openingTokens ??= Math.min(countTextTokens(CHAT_OPENING), countTextTokens(LEDGER_OPENING));
  return openingTokens;
}

/** Counted when it is first needed, as that reads the vocabulary. */
let openingTokens: number | undefined;

/** The candidates without the lines that the state block quotes. */
function withoutQuoted(found: LogCandidates, quoted: ReadonlySet<SourceLine>): LogCandidates {
  if (quoted.size === 0) return found;
  const seen = new Set(found.seen);
  const keys = new Set<string>();
  for (const { identifiers, key } of quoted) {
    keys.add(key);
    for (const identifier of identifiers) seen.add(identifier);
  }
  return { ...found, seen, candidates: found.candidates.filter(({ line }) => !keys.has(line.key)) };
}

interface FitLedgerOptions {
  /** Chooses lines for so many tokens. */
  readonly pack: (room: number) => PackedLines;
  /** The lines of text that quote them. */
  readonly quote: (packed: PackedLines) => readonly string[];
  /** How many lines there are to choose from. */
  readonly most: number;
  readonly opening: string;
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
}

/** Packs lines several times, with less or more room where the text came out too large or too small, and returns the best text that fits. */
function fitLedger({ pack, quote, most, opening, budgetTokens, countTokens }: FitLedgerOptions): Ledger {
  const write = (packed: PackedLines) => {
    // A line may hold half of a surrogate pair, and a request with one is refused.
    const text = wellFormed([opening, ...quote(packed)].join("\n"));
    return { packed, text, tokens: countTokens(text), lines: packed.chosen.size };
  };
  let best = EMPTY;
  let tried: ReturnType<typeof write> | undefined;
  let room = (budgetTokens - countTextTokens(opening)) * FIRST_SHARE;
  for (let tries = 0; tries < MAX_TRIES && room > 0; tries++) {
    const packed = pack(room);
    if (packed.chosen.size === 0) break;
    // A room that differs by a few tokens often holds the very same lines.
    if (tried?.packed !== packed) tried = write(packed);
    const { text, tokens, lines } = tried;
    if (tokens <= budgetTokens && tokens > best.tokens) best = { text, tokens, lines };
    if (tokens <= budgetTokens && (tokens >= GOOD_SHARE * budgetTokens || lines === most)) break;
    room = nextRoom(room, { tokens, budgetTokens });
  }
  return best;
}

function nextRoom(
  room: number,
  { tokens, budgetTokens }: { readonly tokens: number; readonly budgetTokens: number },
): number {
  const shared = Math.floor((room * budgetTokens) / Math.max(1, tokens)) - 1;
  const excess = tokens - budgetTokens;
  if (excess <= 0) return shared;
  // The excess is either in the text around the lines, which does not shrink with the room, or in the way of counting, which does.
  return Math.min(room - Math.ceil(excess) - 1, excess < room / 50 ? room : shared);
}
