import { renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CacheBreakpoints, WireAdapter, WirePart } from "../../core/ports/wire-adapter.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { PrepareOptions } from "../../engine/session/prepare.ts";
import type { Session } from "../../engine/session/session.ts";
import { type AlignedLog, alignLog } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { countGrowing, factsOf } from "../match/log-facts.ts";
import { mendParts } from "../match/mend-parts.ts";
import { sentParts, wireView } from "../match/wire-view.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import { forecastFor, forecastFrom, forecastPrompt, tokenRatioOf } from "./forecast-prompt.ts";
import type { PromptLimits } from "./limits.ts";

/** A request as it goes upstream. */
export interface OutgoingRequest {
  /** Undefined where it goes as it came. */
  readonly body: string | undefined;
  /** The tokens of the prompt as it came, and as it goes. */
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
  const { isFolded, isWritten, foldCount } = factsOf(aligned.snapshot.log);
  if (!isFolded || aligned.alignment.type === "compacts")
    return forwardUnchanged(incoming, () => promptAsItCame(incoming, aligned));
  const parts = wireView(aligned.snapshot, incoming.messages.length, aligned.offset);
  if (parts === undefined) return undefined;
  const shown = parts.flatMap((part) => {
    const message = part.type === "stand-in" ? part.message : saidAt(incoming, aligned, part.index);
    return message === undefined ? [] : [renderMessage(message)];
  });
  const known = forecastFor(incoming, aligned);
  const tokensSent = forecastPrompt(known, shown);
  const hiddenTokens = tokenRatioOf(known.state) * (saidTokens(incoming, aligned) - countMessagesTokens(shown));
  return {
    body: isWritten ? writeParts(incoming, parts, { adapter, breakpoints }) : undefined,
    tokensIn: tokensSent + Math.max(0, Math.ceil(hiddenTokens)),
    tokensSent,
    foldCount,
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
  const messageCount = incoming.messages.length;
  return forecastFrom(forecastFor(incoming, aligned), messageCount, (start) => saidFrom(incoming, aligned, start));
}

/** The messages of a request from a place on, as `saidAt` gives them. */
function saidFrom(incoming: IncomingRequest, aligned: AlignedLog, start: number): readonly Message[] {
  return incoming.messages.slice(start).flatMap((_, index) => saidAt(incoming, aligned, start + index) ?? []);
}

/** A message of a request, with the folds that it has in the log; one that says the same is the log's, whose tokens are known. */
function saidAt(
  { messages, fingerprints }: IncomingRequest,
  { spoken }: AlignedLog,
  index: number,
): Message | undefined {
  const [message, logged] = [messages[index], spoken.messages[index]];
  if (message === undefined || logged === undefined) return message;
  return spoken.fingerprints[index] === fingerprints[index] ? logged : { ...message, folds: logged.folds ?? [] };
}

/** Our count of the messages of a request. Where it goes on with the log, word for word, only what is new is looked at. */
function saidTokens(incoming: IncomingRequest, aligned: AlignedLog): number {
  const { alignment, spoken } = aligned;
  const goesOn = alignment.type === "continues" && alignment.edited.length === 0;
  if (!goesOn) return countMessagesTokens(saidFrom(incoming, aligned, 0));
  return countGrowing(spoken.messages) + countMessagesTokens(incoming.messages.slice(spoken.messages.length));
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
  // What an agent sends damaged goes as it came unless something is folded: then it is mended where it is written.
  // And what it compacted is for the provider that it asks, whatever that calls its models.
  const kept = { repair: false, isRequest: false, compactionsOf: "any" } as const;
  const options = { ...byteLimits(incoming, limits), targetShare, ...kept };
  const { messages: view, report } = await session.prepare(options);
  const aligned = alignLog(incoming, await session.snapshot(), { known });
  const { log } = aligned.snapshot;
  const { isWritten, foldCount } = factsOf(log);
  const parts = isSame(aligned) ? wireView({ log, view }, incoming.messages.length, aligned.offset) : undefined;
  if (parts === undefined) return undefined;
  const body = isWritten ? writeParts(incoming, parts, { adapter, breakpoints }) : undefined;
  const hiddenTokens = countGrowing(aligned.spoken.messages) - countMessagesTokens(view);
  return {
    body,
    tokensIn: report.promptTokens + Math.max(0, hiddenTokens),
    tokensSent: report.promptTokens,
    foldCount,
    newFoldIds: report.foldIds,
    foldsAtTokens: report.foldsAtTokens,
  };
}

function writeParts(
  { request, messages }: IncomingRequest,
  parts: readonly WirePart[],
  { adapter, breakpoints }: Pick<FoldPorts, "adapter" | "breakpoints">,
): string {
  return adapter.writeRequest(request, mendParts(sentParts(parts), messages, adapter), breakpoints);
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
