import type { Message } from "../../core/message/message.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import { compactionPlace, holdsCompaction } from "./compacted-window.ts";
import { callFingerprint, compactionKeys, messageFingerprints } from "./fingerprints.ts";
import type { FingerprintedMessages } from "./log-facts.ts";
import { isCompaction, type Scope, type SessionNaming, scopeOf } from "./scope.ts";

/** A request with everything that it is matched by. */
export interface IncomingRequest extends FingerprintedMessages {
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

/** A request without its last message. Tool results in that message are kept, as they may never be sent again. */
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

/** The keys by which one message of a request can be found in the index and the store. */
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

/** The messages of a request from the index `from` on, as a log keeps them. */
export function newMessages(incoming: IncomingRequest, options: NewMessagesOptions): readonly Message[] {
  const count = Math.max(0, incoming.messages.length - options.from);
  return Array.from({ length: count }, (_, added) => newMessage(incoming, options.from + added, options)).flat();
}

/** The message of a request at an index, as a log keeps it; an empty list where the request has none there. */
export function newMessage(
  incoming: IncomingRequest,
  index: number,
  { now, offset = 0 }: Omit<NewMessagesOptions, "from">,
): readonly Message[] {
  const message = incoming.messages[index];
  if (message === undefined) return [];
  // Ledgers name messages by this number, so that a message can be recalled by what a ledger calls it.
  return [{ ...message, id: `m${index + offset}`, ts: now, keys: keysOf(incoming, index) }];
}

/** The phrases with which agents ask for a summary of their history in a request that is otherwise like any other of the conversation. */
const WORDINGS: readonly RegExp[] = [
  // Claude Code
  /CRITICAL: Respond with TEXT ONLY/,
  // Codex
  /CONTEXT CHECKPOINT COMPACTION/,
  // Gemini CLI and those made of it
  /<state_snapshot>/,
  // Qwen Code
  /summarizes a conversation when its context window is about to overflow/,
  // opencode: the first summary, a later one, and older versions
  /Create a new anchored summary from the conversation history/,
  /summary of the conversation before the <conversation> above/,
  /detailed prompt for continuing our conversation/,
  // Cline
  /Summarize this session for continuation/,
  // pi: of the whole conversation, of its new messages, of the part before a turn, of a branch
  /Create a structured context checkpoint summary/,
  /NEW conversation messages to incorporate into the existing summary/,
  /Create a concise checkpoint of the user's request/,
  /Create a structured summary of this conversation branch/,
  // goose
  /summarize the conversation history provided in the system prompt/,
  // Copilot CLI, Crush, Roo Code, Continue and others
  /(?:create|provide) a (?:detailed|comprehensive|concise) summary of (?:the|our|this) conversation/i,
];

/** In characters. Of a longer text, so much of its beginning and its end is read: some agents put the conversation and the instruction in one text. */
const READ_LENGTH = 20_000;

/**
 * Whether a conversation ends with the agent's request for a summary. That message is not recorded; if a person wrote it after all, the next
 * request brings it again.
 */
export function asksForSummary(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user") return false;
  const texts = textsOf(last).flatMap((text) =>
    text.length <= READ_LENGTH ? [text] : [text.slice(0, READ_LENGTH), text.slice(-READ_LENGTH)],
  );
  return texts.some((text) => WORDINGS.some((wording) => wording.test(text)));
}

/** The texts of a message, without tool results. */
function textsOf({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : []));
}
