import { listFolds } from "../../core/history/list-folds.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Session, SessionSnapshot } from "../../engine/session/session.ts";
import { type PromptRoom, tellSession } from "./beside.ts";
import type { Conversation } from "./desk.ts";
import type { Heard } from "./heard.ts";
import type { PromptLimits } from "./limits.ts";
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

/** A character is rarely less than a quarter of a token. */
const TOKENS_PER_CHARACTER = 0.25;

/** The request as it came, its size guessed from that of the one before. */
export function carriedAsItCame({ request, messages }: Heard, conversation?: Conversation): Carried {
  const { bodyLength = 0, promptTokens = 0 } = conversation?.last ?? {};
  const length = request.raw.body.length;
  const isGrown = messages.length > 0 && length >= bodyLength;
  const tokens = isGrown
    ? promptTokens + Math.ceil((length - bodyLength) * TOKENS_PER_CHARACTER)
    : Math.ceil(length * TOKENS_PER_CHARACTER);
  return { body: undefined, tokensIn: tokens, tokensSent: tokens, foldCount: 0, newFoldIds: [] };
}

/** The request with the folds that its session has, and none more; undefined where they do not fit it. */
export function carriedByReplay(heard: Heard, { log }: SessionSnapshot, adapter: WireAdapter): Carried | undefined {
  if (!isFolded(log)) return carriedAsItCame(heard);
  const parts = wireView(log, heard.messages.length);
  if (parts === undefined) return undefined;
  const body = adapter.writeRequest(heard.request, parts);
  const { tokensIn } = carriedAsItCame(heard);
  const tokensSent = Math.ceil(body.length * TOKENS_PER_CHARACTER);
  return { body, tokensIn, tokensSent, foldCount: listFolds(log).length, newFoldIds: [] };
}

export interface FoldPorts {
  readonly adapter: WireAdapter;
  readonly room: PromptRoom;
  readonly limits: PromptLimits;
}

/** The request as its session's view, folded to fit; its log must end with the request. */
export async function carriedByFolding(
  heard: Heard,
  conversation: Conversation,
  { adapter, room, limits }: FoldPorts,
): Promise<Carried> {
  const session = await conversation.session();
  tellSession(conversation, session, { request: heard.request, room });
  const { report } = await session.prepare(byteLimits(heard, limits));
  const { log, view } = await session.snapshot();
  const body = bodyFor(heard, log, adapter);
  const hiddenTokens = countMessagesTokens(spokenMessages(log)) - countMessagesTokens(view);
  return {
    body,
    tokensIn: report.promptTokens + Math.max(0, hiddenTokens),
    tokensSent: report.promptTokens,
    foldCount: body === undefined ? 0 : listFolds(log).length,
    newFoldIds: report.foldIds,
  };
}

function bodyFor(heard: Heard, log: Awaited<ReturnType<Session["log"]>>, adapter: WireAdapter): string | undefined {
  if (!isFolded(log)) return undefined;
  const parts = wireView(log, heard.messages.length);
  return parts === undefined ? undefined : adapter.writeRequest(heard.request, parts);
}

/** What the body takes beside the messages is no part of the view. */
const OTHER_SHARE = 0.1;

function byteLimits({ request }: Heard, { maxBodyBytes, maxImages }: PromptLimits) {
  const otherBytes = request.systemPrompt.length + JSON.stringify(request.tools).length;
  const maxViewBytes =
    maxBodyBytes === undefined ? undefined : Math.max(1, Math.floor(maxBodyBytes * (1 - OTHER_SHARE)) - otherBytes);
  return { maxViewBytes, maxImages };
}
