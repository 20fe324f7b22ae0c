import { describeError } from "../../core/describe-error.ts";
import { asArray, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Session } from "../../engine/session/session.ts";
import { unlessFailed } from "../shared/callbacks.ts";
import { isSameMessage } from "../shared/same-message.ts";
import { type SessionTurns, type Turn, turnsOf } from "../shared/session-turns.ts";
import type { AgentsConversation, PalimpsestModelOptions } from "./options.ts";
import { type ItemGroup, readItems } from "./read-items.ts";
import type { AgentsModelRequest } from "./types.ts";
import { writeItems } from "./write-items.ts";

/** A call of the model whose items have been recorded. */
export interface ModelCall {
  /** The request to send. */
  request(): AgentsModelRequest;
  /** Folds harder after a refusal as too long; false if the error was no such refusal, or nothing more can be folded. */
  shorten(error: unknown): Promise<boolean>;
  /** Records the response and its usage. */
  close(response: unknown): Promise<void>;
}

/** Records a request's items in their session and folds them; undefined if the request is to be sent as it is. */
export async function openCall(
  request: AgentsModelRequest,
  options: PalimpsestModelOptions,
): Promise<ModelCall | undefined> {
  const { onReport, onError = logError } = options;
  const { signal, previousResponseId, conversationId } = request;
  // The API keeps the history then, and the request holds only the new items.
  if (previousResponseId !== undefined || conversationId !== undefined) return undefined;
  const attempt = <Value>(operation: () => Promise<Value>) => unlessFailed(operation, { onError, signal });
  const begun = await attempt(() => beginTurn(request, options));
  if (begun === undefined) return undefined;
  const { turns, groups, items } = begun;
  let { turn } = begun;
  return {
    request: () => {
      onReport?.(turn.report);
      return { ...request, input: [...writeItems(turn.places, groups, items)] };
    },
    shorten: async (error) => {
      const shorter = await attempt(() => turns.shorten(turn, error));
      turn = shorter ?? turn;
      return shorter !== undefined;
    },
    close: async (response) => {
      await attempt(() => noteResponse(turns, turn, response));
    },
  };
}

interface BegunTurn {
  readonly turns: SessionTurns;
  readonly turn: Turn;
  readonly groups: readonly ItemGroup[];
  readonly items: readonly object[];
}

/** Begins a turn in the request's session; undefined for a prompt that does not belong to the conversation. */
async function beginTurn(request: AgentsModelRequest, options: PalimpsestModelOptions): Promise<BegunTurn | undefined> {
  const { input, systemInstructions = "", tools, handoffs, signal } = request;
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const groups = readItems(items);
  const messages = groups.map(({ message }) => message);
  const turns = turnsOf(await sessionOf(options, messages));
  const allTools = [...asArray(tools), ...asArray(handoffs)];
  const turn = await turns.begin({ messages, systemPrompt: systemInstructions, tools: allTools, signal });
  return turn && { turns, turn, groups, items };
}

async function noteResponse(turns: SessionTurns, turn: Turn, response: unknown): Promise<void> {
  const usage = readUsage(fieldAt(response, "usage"));
  if (usage !== undefined) turns.observe(turn, usage);
  const [reply, ...others] = readItems(asArray(fieldAt(response, "output")).filter(isRecord));
  // A reply of several messages is recorded by the next request, which repeats it and shows how they belong together.
  if (reply?.message.role === "assistant" && others.length === 0) await turns.record(turn, reply.message);
}

function logError(error: unknown): void {
  console.error(`palimpsest: the items were sent as the SDK had them: ${describeError(error)}`);
}

/** The usage that the provider reported for a call; undefined if there is none. The SDK's input count includes cached tokens. */
function readUsage(usage: unknown): ReportedUsage | undefined {
  const promptTokens = asTokens(fieldAt(usage, "inputTokens"));
  const cacheReadTokens = detail(usage, "inputTokensDetails", "cached_tokens");
  const reasoningTokens = detail(usage, "outputTokensDetails", "reasoning_tokens");
  const inputTokens = promptTokens - cacheReadTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, asTokens(fieldAt(usage, "outputTokens")) - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens: 0, outputTokens, reasoningTokens };
}

/** The sum of a detail over all requests of a response: usage holds a list with one entry per request, or in a stream's events a single entry. */
function detail(usage: unknown, list: string, name: string): number {
  const details = fieldAt(usage, list);
  const entries = Array.isArray(details) ? asArray(details) : [details];
  return entries.reduce<number>((sum, entry) => sum + asTokens(fieldAt(entry, name)), 0);
}

/**
 * The session that a call of the model belongs to. The SDK does not tell a model which agent calls it. An agent that is called as a tool has
 * another first message than the conversation, and gets a session of its own by that.
 */
async function sessionOf({ engine, sessionId }: AgentsConversation, messages: readonly Message[]): Promise<Session> {
  const session = await engine.session(sessionId);
  const [first] = messages;
  const firstInLog = (await session.snapshot()).log.find((message) => !isStandIn(message));
  if (first === undefined || firstInLog === undefined || isSameMessage(firstInLog, first)) return session;
  return engine.session(`${sessionId}/${shortHash(serialize([first.role, first.content]))}`);
}
