import { PalimpsestError } from "../../core/errors.ts";
import type { Fold } from "../../core/history/list-folds.ts";
import { CLEARING_FOLD_IDS, foldCleared } from "../../core/history/provider-clearing.ts";
import type { Message } from "../../core/message/message.ts";
import { expandId } from "../../core/recall/expand.ts";
import { type ExpandedPage, expandPage } from "../../core/recall/expand-page.ts";
import { mayNameFold, namedFold } from "../../core/recall/named-fold.ts";
import type { RecallRequest } from "../../core/recall/read-tool-input.ts";
import { countRendered, PAGE_FRAME, renderPage } from "../../core/recall/render-page.ts";
import { renderHits } from "../../core/recall/render-recall.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { countOf } from "../../core/truncate/stand-in.ts";
import { clearingOf } from "../session/provider-clearing.ts";
import type { Session } from "../session/session.ts";

/** The methods of a session that answer a call of recall. */
export type RecallableSession = Pick<Session, "recall" | "log" | "folds"> & Partial<Pick<Session, "events">>;

/** The most tokens of a search's excerpts, however large an answer may be: more would bury what was asked for. */
const MAX_SEARCH_TOKENS = 1_500;
/** Room for the line that says how to read on, and for the difference between the count of parts and that of the whole. */
const CLOSING_TOKENS = 90;

/** A budget that any single excerpt fits. */
const ANY_EXCERPT_TOKENS = 20_000;

const READ_ON = "To read one whole, call recall with id set to its message or fold.";

/** Answers a call with a text of at most `budgetTokens`. A wrong request gets an answer that says what the model can do instead. */
export async function answerRecall(
  session: RecallableSession,
  request: RecallRequest,
  budgetTokens: number,
): Promise<string> {
  switch (request.type) {
    case "search":
      return search(session, request.query, budgetTokens);
    case "read":
      return read(session, request, budgetTokens);
    case "unclear":
      return request.why;
  }
}

async function search(session: RecallableSession, query: string, budgetTokens: number): Promise<string> {
  if (mayNameFold(query)) {
    const foldId = namedFold(query, await session.folds());
    if (foldId !== undefined) return read(session, { id: foldId, from: undefined }, budgetTokens);
  }
  const room = Math.min(MAX_SEARCH_TOKENS, budgetTokens) - countTextTokens(READ_ON);
  const hits = await session.recall(query, { budgetTokens: room });
  if (hits.length > 0) return renderHits(hits, READ_ON);
  const [best] = await session.recall(query, { budgetTokens: ANY_EXCERPT_TOKENS });
  if (best !== undefined) {
    return `The best match is too long for one answer. Call recall with id ${quote(best.messageId)} to read it page by page.`;
  }
  const folds = await session.folds();
  if (folds.length === 0) return listed(folds);
  const foldId = namedFold(query, folds);
  if (foldId !== undefined) return read(session, { id: foldId, from: undefined }, budgetTokens);
  return `Nothing that is hidden matches. Try other words, such as a name, a path or an error. ${listed(folds)}`;
}

async function read(
  session: RecallableSession,
  { id, from }: { readonly id: string; readonly from: string | undefined },
  budgetTokens: number,
): Promise<string> {
  const log = await session.log();
  try {
    const whole = expandId(isClearingId(id) ? await asProviderShows(session, log) : log, id);
    return fittingPage({ whole, id, from, budgetTokens });
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    if (error.code === "unknown-fold") {
      const folds = await session.folds();
      const foldId = namedFold(id, folds);
      if (foldId !== undefined && foldId !== id) return read(session, { id: foldId, from }, budgetTokens);
      const hint = folds.length === 0 ? "" : "To search for words, pass them as query. ";
      return `There is no fold or message ${quote(id)}. ${hint}${listed(folds)}`;
    }
    if (error.code !== "invalid-argument") throw error;
    return `${quote(from ?? "")} is no place in ${quote(id)}. Leave from out to read it from its beginning.`;
  }
}

function isClearingId(id: string): boolean {
  return Object.values(CLEARING_FOLD_IDS).includes(id);
}

/** The log with the folds of the provider's own clearing, which the session's events tell. */
async function asProviderShows(session: RecallableSession, log: readonly Message[]): Promise<readonly Message[]> {
  return foldCleared(log, clearingOf((await session.events?.()) ?? []).cleared);
}

interface PageRequest {
  readonly whole: Parameters<typeof expandPage>[0];
  readonly id: string;
  readonly from: string | undefined;
  readonly budgetTokens: number;
}

function fittingPage({ whole, id, from, budgetTokens }: PageRequest): string {
  const countTokens = countRendered(countText);
  let room = budgetTokens - countTextTokens(PAGE_FRAME) - CLOSING_TOKENS;
  for (;;) {
    const page = expandPage(whole, { budgetTokens: Math.max(LEAST_PAGE_TOKENS, room), from, countTokens });
    const closing = closingOf(page, id);
    const text = `${renderPage(page)}\n${closing}`;
    if (countTextTokens(text) <= budgetTokens) return text;
    if (room <= LEAST_PAGE_TOKENS)
      return `${cutText(renderPage(page), budgetTokens - CLOSING_TOKENS)}\n${CUT}\n${closing}`;
    room = Math.floor(room * 0.8);
  }
}

const CUT = "[Cut here: this block has no text that could be shown page by page.]";

/** Cuts a text to the budget, for content that cannot be divided into pages. */
function cutText(text: string, budgetTokens: number): string {
  let end = Math.min(text.length, 8 * budgetTokens);
  for (;;) {
    const cut = text.slice(0, end);
    const tokens = countTextTokens(cut);
    if (tokens <= budgetTokens) return cut;
    end = Math.floor((end * budgetTokens * 0.95) / tokens);
  }
}

/** The least that a page of `expandPage` may take. */
const LEAST_PAGE_TOKENS = 32;

/** Counts rendered content, which is always one text. */
function countText(content: Parameters<ReturnType<typeof countRendered>>[0]): number {
  return typeof content === "string" ? countTextTokens(content) : 0;
}

function closingOf({ next }: ExpandedPage, id: string): string {
  if (next === undefined) return `This is the end of ${quote(id)}.`;
  return `There is more. For the next page, call recall with id ${quote(id)} and from ${quote(next)}.`;
}

const MAX_LISTED = 12;

/** A sentence that lists the folds, newest first, for the model to choose from. */
function listed(folds: readonly Fold[]): string {
  if (folds.length === 0) return "Nothing of this conversation is hidden.";
  const shown = folds.slice(-MAX_LISTED).toReversed().map(describeFold).join(", ");
  const more = folds.length > MAX_LISTED ? ` and ${folds.length - MAX_LISTED} older ones` : "";
  return `The folds are ${shown}${more}.`;
}

function describeFold({ foldId, messages, blocks }: Fold): string {
  const hidden = messages > 0 ? countOf(messages, "message") : countOf(blocks, "block");
  return `${foldId} (${hidden})`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
