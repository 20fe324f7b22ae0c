import { listFolds } from "../../core/history/list-folds.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createForecast, forecast } from "../../core/tokens/forecast.ts";
import type { PrepareOptions } from "../../engine/session/prepare.ts";
import type { Session, SessionSnapshot } from "../../engine/session/session.ts";
import { type Beside, type PromptRoom, tellSession } from "./beside.ts";
import type { LastRequest } from "./desk.ts";
import type { Heard } from "./heard.ts";
import type { PromptLimits } from "./limits.ts";
import { besideText, overheadTokens } from "./overhead-tokens.ts";
import { isFolded, spokenMessages, wireView } from "./wire-view.ts";

/** A request as it goes upstream. */
export interface Carried {
  /** Undefined where it goes as it came. */
  readonly body: string | undefined;
  /** Of the prompt as it came, and as it goes. */
  readonly tokensIn: number;
  readonly tokensSent: number;
  /** Folds in what is sent, and those of them that were made for it. */
  readonly foldCount: number;
  readonly newFoldIds: readonly string[];
}

const TOKENS_PER_BYTE = 0.25;

/** The request as it came, its size guessed from that of the one before. */
export function carriedAsItCame({ body: { length: bodyBytes } }: Heard, last?: LastRequest): Carried {
  const isGrown = last?.promptTokens !== undefined && bodyBytes >= last.bodyBytes;
  const [known, bytes] = isGrown ? [last.promptTokens, bodyBytes - last.bodyBytes] : [0, bodyBytes];
  const tokens = known + Math.ceil(bytes * TOKENS_PER_BYTE);
  return { body: undefined, tokensIn: tokens, tokensSent: tokens, foldCount: 0, newFoldIds: [] };
}

/** The request with the folds that its session has, and none more; undefined where they do not fit it. */
export function carriedByReplay(heard: Heard, snapshot: SessionSnapshot, adapter: WireAdapter): Carried | undefined {
  const { log } = snapshot;
  if (!isFolded(log)) return carriedAsItCame(heard);
  const parts = wireView(log, heard.messages.length);
  if (parts === undefined) return undefined;
  const said = saidNow(heard, spokenMessages(log));
  const overhead = overheadTokens(besideText(heard.request));
  const shown = parts.flatMap((part) => {
    const message = part.type === "stand-in" ? part.message : said[part.index];
    return message === undefined ? [] : [renderMessage(message)];
  });
  const state = createForecast({ tokenRatio: ratioFor(heard, snapshot), overheadTokens: overhead });
  // As the session itself would have it: whether it folds must not depend on who looked.
  const promptOf = (messages: readonly Message[]) => forecast(state, messages);
  return {
    body: adapter.writeRequest(heard.request, parts),
    tokensIn: promptOf(said),
    tokensSent: promptOf(shown),
    foldCount: listFolds(log).length,
    newFoldIds: [],
  };
}

/** The model's tokens for one of ours that hold for a request: one that says something new starts what was learned from the last reply. */
export function ratioFor({ messages }: Heard, { log, tokenRatio, nextTokenRatio }: SessionSnapshot): number {
  return messages.length > spokenMessages(log).length ? nextTokenRatio : tokenRatio;
}

/** The messages of a request, with the folds that they have in the log; those that say the same are the log's, whose tokens are known. */
function saidNow({ messages, fingerprints }: Heard, spoken: readonly Message[]): readonly Message[] {
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
}

/** The request as its session's view, folded to fit; undefined where the session's log is not what the request says. */
export async function carriedByFolding(
  heard: Heard,
  { session, beside }: { readonly session: Session; readonly beside: Beside },
  { adapter, room, limits, targetShare, tokenRatio }: FoldPorts,
): Promise<Carried | undefined> {
  tellSession(beside, session, { request: heard.request, room });
  if (tokenRatio !== undefined) await session.calibrate(tokenRatio);
  const { report } = await session.prepare({ ...byteLimits(heard, limits), targetShare });
  const { log, view } = await session.snapshot();
  const spoken = spokenMessages(log);
  if (!saysTheSame(spoken, heard)) return undefined;
  const body = bodyFor(heard, log, adapter);
  const hiddenTokens = countMessagesTokens(spoken) - countMessagesTokens(view);
  return {
    body,
    tokensIn: report.promptTokens + Math.max(0, hiddenTokens),
    tokensSent: report.promptTokens,
    foldCount: body === undefined ? 0 : listFolds(log).length,
    newFoldIds: report.foldIds,
  };
}

/** Others may have rewound it to their own words meanwhile: folds are for the words that they were made of. */
function saysTheSame(spoken: readonly Message[], { fingerprints }: Heard): boolean {
  return spoken.length === fingerprints.length && spoken.every(({ keys }, index) => keys?.[0] === fingerprints[index]);
}

function bodyFor(heard: Heard, log: readonly Message[], adapter: WireAdapter): string | undefined {
  if (!isFolded(log)) return undefined;
  const parts = wireView(log, heard.messages.length);
  return parts === undefined ? undefined : adapter.writeRequest(heard.request, parts);
}

/** What the body takes beside the messages, and our notes in it, is no part of the view. */
const OTHER_SHARE = 0.1;

/** Smaller bodies have no hundred pictures. */
const SMALLEST_GALLERY_BYTES = 1_000_000;

/** Only where a limit is near: measuring reads every message once. */
export function byteLimits({ request, body }: Heard, { maxBodyBytes, maxImages }: PromptLimits): PrepareOptions {
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
