import { listFolds } from "../../core/history/list-folds.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CacheBreakpoints, WireAdapter } from "../../core/ports/wire-adapter.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { PrepareOptions } from "../../engine/session/prepare.ts";
import type { Session } from "../../engine/session/session.ts";
import { type AlignedLog, alignLog } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { isFolded, isWritten, sentParts, wireView } from "../match/wire-view.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import { forecastFor, forecastPrompt, tokenRatioOf } from "./forecast-prompt.ts";
import type { PromptLimits } from "./limits.ts";

/** A request as it goes upstream. */
export interface OutgoingRequest {
  /** Undefined where it goes as it came. */
  readonly body: string | undefined;
  /** Of the prompt as it came, and as it goes. */
  readonly tokensIn: number;
  readonly tokensSent: number;
  /** Folds in what is sent, and those of them that were made for it. */
  readonly foldCount: number;
  readonly newFoldIds: readonly string[];
  /** The size at which its session's next fold is due; absent where the session was not asked. */
  readonly foldsAtTokens?: number;
}

const TOKENS_PER_BYTE = 0.25;

/** The request as it came. Its size is only shown: it is found when it is asked for. @default guessed from the bytes */
export function forwardUnchanged(
  { body: { length: bodyBytes } }: IncomingRequest,
  countPrompt: () => number = () => Math.ceil(bodyBytes * TOKENS_PER_BYTE),
): OutgoingRequest {
  let known: number | undefined;
  const tokens = () => {
    known ??= countPrompt();
    return known;
  };
  return {
    body: undefined,
    get tokensIn() {
      return tokens();
    },
    get tokensSent() {
      return tokens();
    },
    foldCount: 0,
    newFoldIds: [],
  };
}

/** The request with the folds that its session has, and none more; undefined where they do not fit it. */
export function forwardReplayed(
  incoming: IncomingRequest,
  aligned: AlignedLog,
  { adapter, breakpoints }: Pick<FoldPorts, "adapter" | "breakpoints">,
): OutgoingRequest | undefined {
  const { log } = aligned.snapshot;
  if (!isFolded(log) || aligned.alignment.type === "compacts")
    return forwardUnchanged(incoming, () => promptAsItCame(incoming, aligned));
  const parts = wireView(aligned.snapshot, incoming.messages.length, aligned.offset);
  if (parts === undefined) return undefined;
  const said = saidNow(incoming, aligned.spoken.messages);
  const shown = parts.flatMap((part) => {
    const message = part.type === "stand-in" ? part.message : said[part.index];
    return message === undefined ? [] : [renderMessage(message)];
  });
  const known = forecastFor(incoming, aligned);
  const tokensSent = forecastPrompt(known, shown);
  const hiddenTokens = tokenRatioOf(known.state) * (countMessagesTokens(said) - countMessagesTokens(shown));
  return {
    body: isWritten(log) ? adapter.writeRequest(incoming.request, sentParts(parts), breakpoints) : undefined,
    tokensIn: tokensSent + Math.max(0, Math.ceil(hiddenTokens)),
    tokensSent,
    foldCount: listFolds(log).length,
    newFoldIds: [],
  };
}

/** The body of a request as it came, with marks; undefined where it needs none. */
export function markAsItCame({ request }: IncomingRequest, adapter: WireAdapter, marks: CacheBreakpoints) {
  const parts = request.messages.map((_, index) => ({ type: "original", index }) as const);
  const body = adapter.writeRequest(request, parts, marks);
  return body === request.raw.body ? undefined : body;
}

/** The size of the prompt that a request is, of which its session has hidden nothing. */
export function promptAsItCame(incoming: IncomingRequest, aligned: AlignedLog): number {
  return forecastPrompt(forecastFor(incoming, aligned), saidNow(incoming, aligned.spoken.messages));
}

/** The messages of a request, with the folds that they have in the log; those that say the same are the log's, whose tokens are known. */
function saidNow({ messages, fingerprints }: IncomingRequest, spoken: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => {
    const logged = spoken[index];
    if (logged === undefined) return message;
    return logged.keys?.[0] === fingerprints[index] ? logged : { ...message, folds: logged.folds ?? [] };
  });
}

export interface FoldPorts {
  readonly adapter: WireAdapter;
  readonly room: PromptRoom;
  readonly limits: PromptLimits;
  /** See `PrepareOptions`. */
  readonly targetShare?: number | undefined;
  /** The model's tokens for one of ours, where that is known better than the session can know it. */
  readonly tokenRatio?: number | undefined;
  /** Marks for the provider's cache: what is sent once needs none. @default none */
  readonly breakpoints?: CacheBreakpoints | undefined;
}

/** The session that a request is folded in. */
export interface FoldingSession {
  readonly session: Session;
  readonly configured: Pick<Conversation, "lastConfigured">;
  /** How the request was aligned with the session's log before; undefined where it was not. */
  readonly known: AlignedLog | undefined;
}

/** The request as its session's view, folded to fit; undefined where the session's log is not what the request says. */
export async function forwardFolded(
  incoming: IncomingRequest,
  { session, configured, known }: FoldingSession,
  { adapter, room, limits, targetShare, tokenRatio, breakpoints }: FoldPorts,
): Promise<OutgoingRequest | undefined> {
  configureSession(configured, session, { request: incoming.request, room });
  if (tokenRatio !== undefined) await session.calibrate(tokenRatio);
  // What an agent sends damaged would be refused without us, too: all but our folds stays as it came.
  const options = { ...byteLimits(incoming, limits), targetShare, repair: false, isRequest: false };
  const { messages: view, report } = await session.prepare(options);
  const aligned = alignLog(incoming, await session.snapshot(), { known });
  const { log } = aligned.snapshot;
  const parts = isSame(aligned) ? wireView({ log, view }, incoming.messages.length, aligned.offset) : undefined;
  if (parts === undefined) return undefined;
  const body = isWritten(log) ? adapter.writeRequest(incoming.request, sentParts(parts), breakpoints) : undefined;
  const hiddenTokens = countMessagesTokens(aligned.spoken.messages) - countMessagesTokens(view);
  return {
    body,
    tokensIn: report.promptTokens + Math.max(0, hiddenTokens),
    tokensSent: report.promptTokens,
    foldCount: isFolded(log) ? listFolds(log).length : 0,
    newFoldIds: report.foldIds,
    foldsAtTokens: report.foldsAtTokens,
  };
}

/** Whether the log is the request, word for word. Another gateway may have rewound it meanwhile: then its folds are made of other messages. */
function isSame({ alignment, spoken, incoming }: AlignedLog): boolean {
  const isWordForWord = alignment.type === "continues" && alignment.edited.length === 0;
  return isWordForWord && spoken.fingerprints.length === incoming.fingerprints.length;
}

/** The share of the body that is no part of the view: system prompt, tools, and what our stand-ins add. */
const OTHER_SHARE = 0.1;

/** Smaller bodies have no hundred pictures. */
const SMALLEST_GALLERY_BYTES = 1_000_000;

/** The limits of bytes and images, where the body is near to them: to hold a view to them reads every message once. */
export function byteLimits(
  { request, body }: IncomingRequest,
  { maxBodyBytes, maxImages }: PromptLimits,
): PrepareOptions {
  const bodyBytes = body.length;
  const isLarge = maxBodyBytes !== undefined && bodyBytes > maxBodyBytes * (1 - OTHER_SHARE);
  const otherBytes = isLarge ? Buffer.byteLength(request.systemPrompt) + JSON.stringify(request.tools).length : 0;
  const maxViewBytes = isLarge ? Math.max(1, Math.floor(maxBodyBytes * (1 - OTHER_SHARE)) - otherBytes) : undefined;
  const mayHoldTooMany =
    maxImages !== undefined && bodyBytes > SMALLEST_GALLERY_BYTES && hasMore(body, '"image"', maxImages);
  return { maxViewBytes, maxImages: mayHoldTooMany ? maxImages : undefined };
}

/** Whether a text stands in a body more than `most` times. */
function hasMore(body: Buffer, text: string, most: number): boolean {
  let count = 0;
  for (let at = body.indexOf(text); at !== -1 && count <= most; at = body.indexOf(text, at + text.length)) count++;
  return count > most;
}
