import { readGrowth } from "../../adapters/splice/read-once.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { CacheBreakpoints, WireAdapter, WirePart } from "../../core/ports/wire-adapter.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countImages } from "../../core/truncate/bytes/media.ts";
import type { PrepareOptions } from "../../engine/session/prepare.ts";
import type { Session } from "../../engine/session/session.ts";
import { type AlignedLog, alignLog, alignSession } from "../match/align-log.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { foldsOf } from "../match/log-facts.ts";
import { mendParts } from "../match/mend-parts.ts";
import { sentParts, wireView } from "../match/wire-view.ts";
import type { PromptState } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import { forecastFor, forecastFrom, forecastPrompt, tokenRatioOf } from "./forecast-prompt.ts";
import type { PromptLimits } from "./limits.ts";

/** A request as it is sent upstream. */
export interface OutgoingRequest {
  /** The body to send; undefined where the agent's own bytes are sent. */
  readonly body: string | undefined;
  /** The tokens of the prompt as the agent sent it, and as it is sent upstream. */
  readonly tokensIn: number;
  readonly tokensSent: number;
  /** The number of folds in the body, and the ids of those that were made for this request. */
  readonly foldCount: number;
  readonly newFoldIds: readonly string[];
  /** The size of a prompt, in tokens, at which the session's next fold is due; absent where the session was not asked. */
  readonly foldsAtTokens?: number;
}

const TOKENS_PER_BYTE = 0.25;

/** Sends a request unchanged. Its tokens are only reported, so `countPrompt` runs when they are first read. @default an estimate by the bytes */
export function forwardUnchanged(
  { body: { length: bodyBytes } }: IncomingRequest,
  countPrompt: () => number = () => Math.ceil(bodyBytes * TOKENS_PER_BYTE),
): OutgoingRequest {
  let counted: number | undefined;
  const tokens = () => {
    counted ??= countPrompt();
    return counted;
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

export interface ReplayPorts extends Pick<FoldPorts, "adapter" | "breakpoints"> {
  /** A prompt of this many tokens or more is not wanted: no body is written for it. @default no limit */
  readonly belowTokens?: number;
}

/**
 * Sends a request with the folds that its session already has, and makes no new ones. Undefined where a stand-in hides both messages of the
 * request and later ones, or where the prompt has `belowTokens` or more.
 */
export function forwardReplayed(
  incoming: IncomingRequest,
  aligned: AlignedLog,
  { adapter, breakpoints, belowTokens = Number.POSITIVE_INFINITY }: ReplayPorts,
): OutgoingRequest | undefined {
  const { isFolded, isWritten, foldCount } = foldsOf(aligned.snapshot);
  if (!isFolded || aligned.alignment.type === "compacts") {
    const unchanged = forwardUnchanged(incoming, () => unchangedPromptTokens(incoming, aligned));
    const isWanted = belowTokens === Number.POSITIVE_INFINITY || unchanged.tokensSent < belowTokens;
    return isWanted ? unchanged : undefined;
  }
  const parts = wireView(aligned.snapshot, incoming.messages.length, aligned.offset);
  if (parts === undefined) return undefined;
  const shown = parts.flatMap((part) => {
    const message = part.type === "stand-in" ? part.message : saidAt(incoming, aligned, part.index);
    return message === undefined ? [] : [renderMessage(message)];
  });
  const forecast = forecastFor(incoming, aligned);
  const tokensSent = forecastPrompt(forecast, shown);
  if (tokensSent >= belowTokens) return undefined;
  const hiddenTokens = tokenRatioOf(forecast.state) * (saidTokens(incoming, aligned) - countMessagesTokens(shown));
  return {
    body: isWritten ? writeParts(incoming, parts, { adapter, breakpoints }) : undefined,
    tokensIn: tokensSent + Math.max(0, Math.ceil(hiddenTokens)),
    tokensSent,
    foldCount,
    newFoldIds: [],
  };
}

/** The body of an unchanged request with cache marks; undefined where the marks change nothing. */
export function markUnchanged({ request }: IncomingRequest, adapter: WireAdapter, marks: CacheBreakpoints) {
  const parts = request.messages.map((_, index) => ({ type: "original", index }) as const);
  const body = adapter.writeRequest(request, parts, marks);
  return body === request.raw.body ? undefined : body;
}

/** The tokens of a request's prompt if it is sent unchanged, by its session's forecast. */
export function unchangedPromptTokens(incoming: IncomingRequest, aligned: AlignedLog): number {
  const messageCount = incoming.messages.length;
  return forecastFrom(forecastFor(incoming, aligned), messageCount, (start) => saidFrom(incoming, aligned, start));
}

/** The messages of a request from the index `start` on, as `saidAt` gives them. */
function saidFrom(incoming: IncomingRequest, aligned: AlignedLog, start: number): readonly Message[] {
  return incoming.messages.slice(start).flatMap((_, index) => saidAt(incoming, aligned, start + index) ?? []);
}

/** A message of a request with the folds that it has in the log. Where both are equal it is the log's own object, whose tokens are cached. */
function saidAt({ messages, fingerprints }: IncomingRequest, { said }: AlignedLog, index: number): Message | undefined {
  const [message, logged] = [messages[index], said.at(index)];
  if (message === undefined || logged === undefined) return message;
  return said.fingerprintAt(index) === fingerprints[index] ? logged : { ...message, folds: logged.folds ?? [] };
}

/** Our token count of a request's messages. Where the request continues the log word for word, only the new messages are counted. */
function saidTokens(incoming: IncomingRequest, aligned: AlignedLog): number {
  const { alignment, said } = aligned;
  const isUnedited = alignment.type === "continues" && alignment.edited.length === 0;
  if (!isUnedited) return countMessagesTokens(saidFrom(incoming, aligned, 0));
  return said.tokens() + countMessagesTokens(incoming.messages.slice(said.count));
}

export interface FoldPorts {
  readonly adapter: WireAdapter;
  readonly room: PromptRoom;
  readonly limits: PromptLimits;
  /** See `PrepareOptions`. */
  readonly targetShare?: number | undefined;
  /** How many tokens the model counts for one of ours, where the caller knows that better than the session. */
  readonly tokenRatio?: number | undefined;
  /** How the body is marked for the provider's cache; a request that is sent only once needs no marks. @default no marks */
  readonly breakpoints?: CacheBreakpoints | undefined;
}

/** The session that a request is folded in. */
export interface FoldingSession {
  readonly session: Session;
  readonly configured: Pick<PromptState, "lastConfigured">;
  /** An earlier alignment of the request with the session's log, if there was one. */
  readonly known: AlignedLog | undefined;
}

/** Sends a request as its session's view, folded until it fits; undefined where the session's log no longer equals the request. */
export async function forwardFolded(
  incoming: IncomingRequest,
  { session, configured, known }: FoldingSession,
  { adapter, room, limits, targetShare, tokenRatio, breakpoints }: FoldPorts,
): Promise<OutgoingRequest | undefined> {
  configureSession(configured, session, { request: incoming.request, room });
  if (tokenRatio !== undefined) await session.calibrate(tokenRatio);
  // A damaged conversation is sent unchanged unless something is folded: then it is repaired where its body is written.
  // Compactions in it came from the provider that the request goes to, whatever that provider calls its models.
  const kept = { repair: false, isRequest: false, compactionsOf: "any" } as const;
  const options = { ...byteLimits(incoming, limits), targetShare, ...kept };
  const { messages: view, report } = await session.prepare(options);
  const aligned = await alignSession(incoming, session, { known });
  const parts = await partsOfView(view, aligned, session);
  if (parts === undefined) return undefined;
  const { isWritten, foldCount } = foldsOf(aligned.snapshot);
  const body = isWritten ? writeParts(incoming, parts, { adapter, breakpoints }) : undefined;
  const hiddenTokens = aligned.said.tokens() - countMessagesTokens(view);
  return {
    body,
    tokensIn: report.promptTokens + Math.max(0, hiddenTokens),
    tokensSent: report.promptTokens,
    foldCount,
    newFoldIds: report.foldIds,
    foldsAtTokens: report.foldsAtTokens,
  };
}

/** The parts of the body that shows a view; undefined where the log no longer equals the request. Reads the log where its outline does not suffice. */
async function partsOfView(
  view: readonly Message[],
  aligned: AlignedLog,
  session: Session,
): Promise<readonly WirePart[] | undefined> {
  const parts = partsIn(view, aligned);
  if (parts !== undefined || aligned.snapshot.log !== undefined) return parts;
  return partsIn(view, alignLog(aligned.incoming, await session.snapshot()));
}

function partsIn(view: readonly Message[], aligned: AlignedLog): readonly WirePart[] | undefined {
  const { incoming, snapshot, offset } = aligned;
  return isSame(aligned) ? wireView({ ...snapshot, view }, incoming.messages.length, offset) : undefined;
}

function writeParts(
  { request, messages }: IncomingRequest,
  parts: readonly WirePart[],
  { adapter, breakpoints }: Pick<FoldPorts, "adapter" | "breakpoints">,
): string {
  return adapter.writeRequest(request, mendParts(sentParts(parts), messages, adapter), breakpoints);
}

/** Whether the log equals the request, word for word. Another gateway may have rewound it meanwhile: then its folds hide other messages. */
function isSame({ alignment, said, incoming }: AlignedLog): boolean {
  const isWordForWord = alignment.type === "continues" && alignment.edited.length === 0;
  return isWordForWord && said.count === incoming.fingerprints.length;
}

/** The share of the body's limit that is kept free, as the body holds more than the view: JSON syntax, parameters, and our stand-ins. */
const OTHER_SHARE = 0.1;

/** Smaller bodies do not hold a hundred images, and are not searched for them. */
const SMALLEST_GALLERY_BYTES = 1_000_000;

/** The limits of bytes and images that a view must keep to. Undefined where the body is far below them: checking a view reads every message once. */
export function byteLimits(
  { request, body, messages }: IncomingRequest,
  { maxBodyBytes, maxImages }: PromptLimits,
): PrepareOptions {
  const bodyBytes = body.length;
  const isLarge = maxBodyBytes !== undefined && bodyBytes > maxBodyBytes * (1 - OTHER_SHARE);
  const otherBytes = isLarge ? Buffer.byteLength(request.systemPrompt) + JSON.stringify(request.tools).length : 0;
  const maxViewBytes = isLarge ? Math.max(1, Math.floor(maxBodyBytes * (1 - OTHER_SHARE)) - otherBytes) : undefined;
  const mayHoldTooMany =
    maxImages !== undefined &&
    bodyBytes > SMALLEST_GALLERY_BYTES &&
    countGrowingImages(messages) > maxImages &&
    hasMore(body, '"image"', maxImages);
  return { maxViewBytes, maxImages: mayHoldTooMany ? maxImages : undefined };
}

/** The number of images in a conversation's messages: a large body is searched for images only if there are many. */
const countGrowingImages = readGrowth(0, (known, added: readonly Message[]) =>
  added.reduce((sum, { content }) => sum + (typeof content === "string" ? 0 : imagesIn(content)), known),
);

function imagesIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + countImages(block), 0);
}

/** Whether a body contains a text more than `most` times. */
function hasMore(body: Buffer, text: string, most: number): boolean {
  let count = 0;
  for (let at = body.indexOf(text); at !== -1 && count <= most; at = body.indexOf(text, at + text.length)) count++;
  return count > most;
}
