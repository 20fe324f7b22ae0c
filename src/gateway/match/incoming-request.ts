import type { Message } from "../../core/message/message.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import { compactionPlace, holdsCompaction } from "./compacted-window.ts";
import { callFingerprint, compactionKeys, messageFingerprints } from "./fingerprints.ts";
import type { Spoken } from "./log-facts.ts";
import { isCompaction, type Scope, type SessionNaming, scopeOf } from "./scope.ts";

/** A request with all that it is recognised by. */
export interface IncomingRequest extends Spoken {
  readonly request: WireRequest;
  readonly body: Buffer;
  readonly scope: Scope | undefined;
  /** Whether a person named the session. */
  readonly isNamed: boolean;
  /** Whether the agent says that it only wants its history summarised. */
  readonly isCompaction: boolean;
  /** The index of the provider's compaction that the request begins with: see `compactionPlace`. */
  readonly compactionAt: number | undefined;
}

export interface RequestContext extends Pick<AgentRequest, "headers" | "body"> {
  readonly naming: SessionNaming;
  /** The fingerprints of its messages, where they are computed already. @default they are computed */
  readonly fingerprints?: readonly string[] | undefined;
}

export function readIncoming(
  request: WireRequest,
  { headers, body, naming, fingerprints = messageFingerprints(request) }: RequestContext,
): IncomingRequest {
  return {
    request,
    body,
    messages: request.messages,
    fingerprints,
    scope: scopeOf(headers, request.agentSession, naming),
    isNamed: /\S/.test(String(headers["x-palimpsest-session"] ?? "")),
    isCompaction: isCompaction(headers) || asksForSummary(request.messages),
    compactionAt: holdsCompaction(request.messages) ? compactionPlace(request.messages) : undefined,
  };
}

/** The same request without its last message; results of calls that came in it stay: they may never be sent again. */
export function withoutLast(incoming: IncomingRequest): IncomingRequest {
  const messages = [...incoming.messages.slice(0, -1), ...resultsIn(incoming.messages.at(-1))];
  const fingerprints = incoming.fingerprints.slice(0, messages.length);
  return { ...incoming, messages, fingerprints, request: { ...incoming.request, messages } };
}

function resultsIn(message: Message | undefined): readonly Message[] {
  if (message === undefined || typeof message.content === "string") return [];
  const content = message.content.filter(({ type }) => type === "tool_result");
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** The keys to find one message by. */
export function keysOf({ fingerprints, request, messages }: IncomingRequest, index: number): readonly string[] {
  const own = fingerprints[index];
  const message = messages[index];
  return [
    ...(own === undefined ? [] : [own]),
    ...(request.callIds[index] ?? []).map(callFingerprint),
    ...(message === undefined ? [] : compactionKeys(message)),
  ];
}

export interface NewMessagesOptions {
  readonly from: number;
  readonly now: number;
  /** How many messages the log has before the first one of the request. @default 0 */
  readonly offset?: number;
}

/** The messages from a place on, as a log keeps them. */
export function newMessages(incoming: IncomingRequest, options: NewMessagesOptions): readonly Message[] {
  const count = Math.max(0, incoming.messages.length - options.from);
  return Array.from({ length: count }, (_, added) => newMessage(incoming, options.from + added, options)).flat();
}

/** One of them; none where the request has no message there. */
export function newMessage(
  incoming: IncomingRequest,
  index: number,
  { now, offset = 0 }: Omit<NewMessagesOptions, "from">,
): readonly Message[] {
  const message = incoming.messages[index];
  if (message === undefined) return [];
  // The number that ledgers give to the message: what a ledger names can be asked for by it.
  return [{ ...message, id: `m${index + offset}`, ts: now, keys: keysOf(incoming, index) }];
}

/** How agents ask for a summary of their history, with all their tools and in the middle of it. */
const WORDINGS: readonly RegExp[] = [
  // Claude Code
  /CRITICAL: Respond with TEXT ONLY/,
  // Codex
  /CONTEXT CHECKPOINT COMPACTION/,
  // Gemini CLI and those made of it
  /<state_snapshot>/,
  // Qwen Code
  /summarizes a conversation when its context window is about to overflow/,
  // opencode, for the first time and again, and before that
  /Create a new anchored summary from the conversation history/,
  /summary of the conversation before the <conversation> above/,
  /detailed prompt for continuing our conversation/,
  // Cline
  /Summarize this session for continuation/,
  // pi: all of it, what is new in it, the part before a turn, a branch
  /Create a structured context checkpoint summary/,
  /NEW conversation messages to incorporate into the existing summary/,
  /Create a concise checkpoint of the user's request/,
  /Create a structured summary of this conversation branch/,
  // goose
  /summarize the conversation history provided in the system prompt/,
  // Copilot CLI, Crush, Roo Code, Continue and others
  /(?:create|provide) a (?:detailed|comprehensive|concise) summary of (?:the|our|this) conversation/i,
];

/** Of longer texts, the beginning and the end are read: some agents put the conversation before their instruction, in one text. */
const READ_LENGTH = 20_000;

/**
 * Whether a conversation ends with the agent's request for a summary. That message is no part of the conversation: should a person have
 * written it, it is recorded with the next request.
 */
export function asksForSummary(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user") return false;
  const texts = textsOf(last).flatMap((text) =>
    text.length <= READ_LENGTH ? [text] : [text.slice(0, READ_LENGTH), text.slice(-READ_LENGTH)],
  );
  return texts.some((text) => WORDINGS.some((wording) => wording.test(text)));
}

/** What was said, not what tools returned. */
function textsOf({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : []));
}
