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

/** A call of the model whose items are recorded. */
export interface ModelCall {
  /** What is to be sent. */
  request(): AgentsModelRequest;
  /** Makes it shorter after a refusal as too long; false where the error was none, or where nothing shorter is left. */
  shorten(error: unknown): Promise<boolean>;
  /** Takes notice of what came back. */
  close(response: unknown): Promise<void>;
}

/** Undefined where the request is to be sent as it is. */
export async function openCall(
  request: AgentsModelRequest,
  options: PalimpsestModelOptions,
): Promise<ModelCall | undefined> {
  const { onReport, onError = logError } = options;
  const { signal, previousResponseId, conversationId } = request;
  // There the API has the history, and what is sent is only what is new.
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

/** Undefined for a prompt that is not of the conversation. */
async function beginTurn(request: AgentsModelRequest, options: PalimpsestModelOptions): Promise<BegunTurn | undefined> {
  const { input, systemInstructions = "", tools, handoffs, signal } = request;
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const groups = readItems(items);
  const messages = groups.map(({ message }) => message);
  const turns = turnsOf(await sessionOf(options, messages));
  const all = [...asArray(tools), ...asArray(handoffs)];
  const turn = await turns.begin({ messages, systemPrompt: systemInstructions, tools: all, signal });
  return turn && { turns, turn, groups, items };
}

async function noteResponse(turns: SessionTurns, turn: Turn, response: unknown): Promise<void> {
  const usage = readUsage(fieldAt(response, "usage"));
  if (usage !== undefined) turns.observe(turn, usage);
  const [reply, ...others] = readItems(asArray(fieldAt(response, "output")).filter(isRecord));
  // A reply of several messages is repeated by the next request, which tells how they belong together.
  if (reply?.message.role === "assistant" && others.length === 0) await turns.record(turn, reply.message);
}

function logError(error: unknown): void {
  console.error(`palimpsest: the items were sent as the SDK had them: ${describeError(error)}`);
}

/** What the provider reported for a call; undefined where it reported nothing. The SDK's input counts all of the prompt. */
function readUsage(usage: unknown): ReportedUsage | undefined {
  const promptTokens = asTokens(fieldAt(usage, "inputTokens"));
  const cacheReadTokens = detail(usage, "inputTokensDetails", "cached_tokens");
  const reasoningTokens = detail(usage, "outputTokensDetails", "reasoning_tokens");
  const inputTokens = promptTokens - cacheReadTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, asTokens(fieldAt(usage, "outputTokens")) - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens: 0, outputTokens, reasoningTokens };
}

/** A list with one entry for each request, in the events of a stream the entry alone. */
function detail(usage: unknown, list: string, name: string): number {
  const details = fieldAt(usage, list);
  const entries = Array.isArray(details) ? asArray(details) : [details];
  return entries.reduce<number>((sum, entry) => sum + asTokens(fieldAt(entry, name)), 0);
}

/**
 * The session that a call of the model belongs to. The SDK does not tell a model whose call it is: an agent that is called as a tool begins with
 * other words than the conversation, and is kept apart by them.
 */
async function sessionOf({ engine, sessionId }: AgentsConversation, messages: readonly Message[]): Promise<Session> {
  const session = await engine.session(sessionId);
  const [first] = messages;
  const known = (await session.snapshot()).log.find((message) => !isStandIn(message));
  if (first === undefined || known === undefined || isSameMessage(known, first)) return session;
  return engine.session(`${sessionId}/${shortHash(serialize([first.role, first.content]))}`);
}
