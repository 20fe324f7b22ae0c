import { hash } from "node:crypto";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Session } from "../../engine/session/session.ts";
import { sameEnds } from "../match/align.ts";
import type { PromptState } from "../sessions/session-pool.ts";
import type { PromptLimits } from "./limits.ts";

/** The window that a request's prompt must fit, and the tokens of it that are kept free for the reply. */
export interface PromptRoom {
  readonly contextWindow: number;
  readonly maxTokens: number;
}

type ReplyLimits = Pick<PromptLimits, "contextWindow" | "countsReply">;

/**
 * The most that is kept free for the reply, as a share of the window without system prompt and tools: an agent that assumes a larger window may
 * ask for more.
 */
const MAX_REPLY_SHARE = 0.25;
/** An agent that asks for a larger share than this assumes another window. */
const LARGE_REPLY_SHARE = 0.5;
/** A reply needs at least this share: below it, the prompt has to become shorter. */
const LEAST_REPLY_SHARE = 0.05;
const DEFAULT_REPLY_TOKENS = 8_192;
/** A system prompt that changes by no more tokens, such as a time or a build's name, counts as the same one. */
const NEGLIGIBLE_TOKENS = 64;

/** The room for a prompt and its reply. `budgetTokens` limits the prompt alone. */
export function roomFor(request: WireRequest, limits: ReplyLimits, budgetTokens: number | undefined): PromptRoom {
  const { contextWindow, countsReply } = limits;
  const target = Math.max(0, request.maxOutputTokens ?? DEFAULT_REPLY_TOKENS);
  const most = Math.floor(freeTokens(request, contextWindow) * MAX_REPLY_SHARE);
  const counted = countsReply ? (replyLimit(request, limits) ?? target) : most;
  const maxTokens = Math.min(target, counted);
  if (budgetTokens === undefined || budgetTokens >= contextWindow - maxTokens) return { contextWindow, maxTokens };
  return { contextWindow: budgetTokens, maxTokens: 0 };
}

/**
 * The reply's allowance to send instead of the request's own, where the allowance must fit the window and leaves too little for the prompt;
 * undefined where the request's own is sent. A shorter reply is better than none.
 */
export function replyLimit(
  request: WireRequest,
  { contextWindow, countsReply }: ReplyLimits,
  promptTokens = 0,
): number | undefined {
  const { maxOutputTokens = 0, leastOutputTokens = 1 } = request;
  if (!countsReply) return undefined;
  const free = freeTokens(request, contextWindow);
  // A prompt that only just fits leaves less for the reply.
  const left = Math.max(0, contextWindow - promptTokens);
  const most = maxOutputTokens > free * LARGE_REPLY_SHARE ? Math.min(left, free * MAX_REPLY_SHARE) : left;
  const limit = Math.max(leastOutputTokens, Math.floor(Math.max(most, free * LEAST_REPLY_SHARE)));
  return maxOutputTokens > limit ? limit : undefined;
}

/** The tokens of the window that system prompt and tools leave free. */
function freeTokens(request: WireRequest, contextWindow: number): number {
  return Math.max(0, contextWindow - overheadOf(request).tokens);
}

/** Sets a session's model, system prompt and tools to those of a request. Sets only what changed, as each change voids what was learned from reports. */
export function configureSession(
  configured: Pick<PromptState, "lastConfigured">,
  session: Session,
  { request, room }: { readonly request: WireRequest; readonly room: PromptRoom },
): void {
  const { contextWindow, maxTokens } = room;
  const model = request.modelId || "unknown";
  const { cacheTtlMs } = request;
  const modelKey = `${model} ${contextWindow} ${maxTokens} ${cacheTtlMs ?? ""}`;
  const { text: promptKey, tokens } = overheadOf(request);
  const before = configured.lastConfigured;
  if (before?.modelKey !== modelKey) session.useModel({ model, contextWindow, maxTokens, cacheTtlMs });
  if (before === undefined || isOther(before.promptKey, promptKey)) {
    session.usePrompt({ systemPrompt: request.systemPrompt, tools: toolsSent(request) });
    configured.lastConfigured = { modelId: model, modelKey, promptKey, overheadTokens: tokens };
  } else configured.lastConfigured = { ...before, modelId: model, modelKey };
}

function isOther(before: string, now: string): boolean {
  if (before === now) return false;
  // Only the part that differs is counted: most of the text is the same, and was counted before.
  const { start, end } = sameEnds(before, now);
  const [changed, added] = [before, now].map((text) => countTextTokens(text.slice(start, text.length - end)));
  return Math.abs((added ?? 0) - (changed ?? 0)) > NEGLIGIBLE_TOKENS;
}

const MOST_PROMPTS = 100;
const counts = new Map<string, number>();

/** System prompt and tools, as text, and our count of them. */
export interface RequestOverhead {
  readonly text: string;
  readonly tokens: number;
}

const overheads = new WeakMap<WireRequest, RequestOverhead>();
const addedTools = new WeakMap<WireRequest, unknown>();

/** Includes a tool that the gateway adds to a request in the request's overhead. Returns by how many tokens that grew: 0 on a second call. */
export function countAddedTool(request: WireRequest, definition: unknown): number {
  if (addedTools.has(request)) return 0;
  const { tokens } = overheadOf(request);
  addedTools.set(request, definition);
  overheads.delete(request);
  return overheadOf(request).tokens - tokens;
}

function toolsSent(request: WireRequest): readonly unknown[] {
  return addedTools.has(request) ? [...request.tools, addedTools.get(request)] : request.tools;
}

/** System prompt and tools of a request, counted once per request: several steps need them, and agents send a hundred kilobytes of tools. */
export function overheadOf(request: WireRequest): RequestOverhead {
  const known = overheads.get(request);
  if (known !== undefined) return known;
  const text = `${request.systemPrompt}\n${JSON.stringify(toolsSent(request))}`;
  const overhead = { text, tokens: countOnce(text) };
  overheads.set(request, overhead);
  return overhead;
}

/** The tokens of a text, cached by its hash: agents send the same system prompt and tools with each request. */
function countOnce(text: string): number {
  const key = hash("sha256", text, "base64");
  const known = counts.get(key);
  if (known !== undefined) return known;
  const tokens = countTextTokens(text);
  counts.set(key, tokens);
  const [oldest] = counts.keys();
  if (counts.size > MOST_PROMPTS && oldest !== undefined) counts.delete(oldest);
  return tokens;
}
