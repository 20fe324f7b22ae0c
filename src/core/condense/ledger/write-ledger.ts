import { assertFunction, assertNumber, assertObject } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import type { Message } from "../../message/message.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import type { FileTouch } from "../../tool-calls/tool-act.ts";
import { chatCandidates } from "./chat/chat-candidates.ts";
import { isChat } from "./chat/is-chat.ts";
import { quoteChat } from "./chat/quote-chat.ts";
import { isOurHeading, LINE_END } from "./cut-lines.ts";
import { failedCalls } from "./failed-calls.ts";
import { findCandidates, type LogCandidates } from "./find-candidates.ts";
import { CHAT_OPENING, headingOf, LEDGER_OPENING } from "./ledger-text.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { type LogBlock, logBlocks, readableMessages } from "./log-blocks.ts";
import { type Candidate, packLines } from "./pack-lines.ts";
import type { SourceLine } from "./source-lines.ts";
import { stateBlock } from "./state/state-block.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

export interface WriteLedgerOptions {
  /** The text never takes more. */
  readonly budgetTokens: number;
  /** Tokens of the text where it will stand. @default countContentTokens */
  readonly countTokens?: (text: string) => number;
  /** What the view shows beside the ledger, as it shows it: what can be read there is not repeated. @default none */
  readonly visible?: readonly Message[];
  /** Whether a block at the top tells how the work stands. @default false */
  readonly tellsState?: boolean;
  /** How lines are judged. @default LEDGER_WEIGHTS */
  readonly weights?: LedgerWeights | undefined;
}

export interface Ledger {
  /** Empty where the budget has no room for a single line. */
  readonly text: string;
  readonly tokens: number;
  /** How many lines are quoted. */
  readonly lines: number;
}

const EMPTY: Ledger = { text: "", tokens: 0, lines: 0 };

/** Tokens counted line by line do not quite add up to those of the text, and counters differ. */
const MAX_TRIES = 6;
const GOOD_SHARE = 0.97;
/** Aiming a little low mostly saves the second try. */
const FIRST_SHARE = 0.995;
const FILES_SHARE = 0.05;
const STATE_SHARE = 0.1;

/**
 * The lines of a log that its agent will most likely need, word for word, in order, below the numbers of their messages, in no more
 * than the budget. Reads the log as it was said: folds hide nothing from it. Of a very long one, only the newest messages and what the
 * person said are read.
 */
export function writeLedger(messages: readonly Message[], options: WriteLedgerOptions): Ledger {
  checkMessages(messages);
  assertObject("options", options);
  const { budgetTokens, visible = [], tellsState = false, weights = LEDGER_WEIGHTS } = options;
  assertNumber("budgetTokens", budgetTokens);
  const { countTokens = countContentTokens } = options;
  assertFunction("countTokens", countTokens);
  const readable = readableMessages(messages);
  const blocks = logBlocks(messages, readable);
  if (isChat(blocks)) {
    const found = chatCandidates(blocks, visible);
    return fitLedger({
      found,
      write: (chosen) => quoteChat(found, chosen),
      opening: CHAT_OPENING,
      budgetTokens,
      countTokens,
    });
  }
  const state = stateBlock(blocks, visible, tellsState ? budgetTokens * STATE_SHARE : 0);
  const found = withoutQuoted(findCandidates([...readable], blocks, { visible, weights }), state.quoted);
  const opening = openingText(found, state.text, budgetTokens * FILES_SHARE);
  return fitLedger({ found, write: (chosen) => quote(found, chosen), opening, budgetTokens, countTokens });
}

/** What the block at the top quotes is not quoted again. */
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

function openingText({ blocks }: LogCandidates, state: string, budgetTokens: number): string {
  const lines = [LEDGER_OPENING];
  if (state !== "") lines.push(state);
  let left = budgetTokens;
  let hasFiles = false;
  for (const entry of fileEntries(blocks)) {
    left -= countTextTokens(`${entry}\n`);
    if (left < 0) break;
    if (!hasFiles) lines.push("[files]");
    hasFiles = true;
    lines.push(entry);
  }
  return lines.join("\n");
}

interface FitLedgerOptions {
  readonly found: LogCandidates;
  /** The chosen lines below their headings. */
  readonly write: (chosen: ReadonlySet<Candidate>) => readonly string[];
  readonly opening: string;
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
}

/** Packs again with as much less, or more, as the text came out too large or too small. */
function fitLedger({ found, write, opening, budgetTokens, countTokens }: FitLedgerOptions): Ledger {
  let best = EMPTY;
  let room = (budgetTokens - countTextTokens(opening)) * FIRST_SHARE;
  for (let tries = 0; tries < MAX_TRIES && room > 0; tries++) {
    const chosen = packLines(found.candidates, { ...found, budgetTokens: room });
    if (chosen.size === 0) break;
    const text = [opening, ...write(chosen)].join("\n");
    const tokens = countTokens(text);
    if (tokens <= budgetTokens && tokens > best.tokens) best = { text, tokens, lines: chosen.size };
    if (tokens <= budgetTokens && (tokens >= GOOD_SHARE * budgetTokens || chosen.size === found.candidates.length))
      break;
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
  // Too much is what stands around the lines, which does not shrink with them, or another way of counting, which does.
  return Math.min(room - Math.ceil(excess) - 1, excess < room / 50 ? room : shared);
}

/** The chosen lines in their order, below the headings of their blocks. */
function quote({ blocks, candidates }: LogCandidates, chosen: ReadonlySet<Candidate>): readonly string[] {
  const lines: string[] = [];
  let before: LogBlock | undefined;
  for (const candidate of candidates) {
    if (!chosen.has(candidate)) continue;
    const block = blocks[candidate.group];
    if (block !== before && block !== undefined) lines.push(headingOf(block, before));
    before = block;
    lines.push(candidate.line.text);
  }
  return lines;
}

interface FileState {
  readonly path: string;
  readonly touches: Map<FileTouch["touch"], number>;
  latest: number;
}

/** More files than this are better looked up. */
const MAX_FILES = 15;

/** What was done to each file, and where last: `src/a.ts: modified m12, read m9`; those used last first. */
function fileEntries(blocks: readonly LogBlock[]): readonly string[] {
  const states = new Map<string, FileState>();
  const failed = failedCalls(blocks);
  for (const { source, act, call, number } of blocks) {
    if (source !== "call" || act === undefined || number === undefined) continue;
    for (const { path, touch } of act.files) {
      if (touch !== "read" && call !== undefined && failed.has(call.id)) continue;
      if (isOurHeading(path) || LINE_END.test(path)) continue;
      const state = states.get(path) ?? { path, touches: new Map(), latest: number };
      states.set(path, state);
      // Deleted first, so that the newest comes last.
      state.touches.delete(touch);
      state.touches.set(touch, number);
      state.latest = number;
    }
  }
  const isChanged = ({ touches }: FileState) =>
    touches.has("modified") || touches.has("created") || touches.has("deleted");
  return [...states.values()]
    .sort((one, other) => Number(isChanged(other)) - Number(isChanged(one)) || other.latest - one.latest)
    .slice(0, MAX_FILES)
    .map(({ path, touches }) => {
      const told = [...touches].reverse().map(([touch, number]) => `${touch} m${number}`);
      return `${path}: ${told.join(", ")}`;
    });
}
