import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { readAiSdkMessage } from "../../messages/ai-sdk/read-message.ts";
import { type Turn, type TurnRequest, turnsOf } from "./session-turns.ts";
import { writePlaces } from "./write-ai-sdk-prompt.ts";

/** A prompt as it is to be sent, and the turn that it is for. */
export interface FoldedPrompt {
  readonly turn: Turn;
  /** The list that came, where nothing is folded. */
  readonly prompt: readonly AiSdkMessageLike[];
}

export interface PromptOptions {
  readonly prompt: readonly AiSdkMessageLike[];
  /** Whether the prompt is all that is sent, its tools beside it. Otherwise the session knows what else there is. @default true */
  readonly isWhole?: boolean | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Records a prompt in its session, and folds it. Undefined where it is not of this conversation. */
export async function foldPrompt(session: Session, options: PromptOptions): Promise<FoldedPrompt | undefined> {
  const turn = await turnsOf(session).begin(readRequest(options));
  return turn && { turn, prompt: writeTurn(turn, options.prompt) };
}

/** The same prompt, with a turn that was folded otherwise. */
export function writeTurn({ places }: Turn, prompt: readonly AiSdkMessageLike[]): readonly AiSdkMessageLike[] {
  const start = systemCount(prompt);
  const said = prompt.slice(start);
  const isWhole = places.length === said.length && places.every(({ type }) => type === "original");
  return isWhole ? prompt : [...prompt.slice(0, start), ...writePlaces(places, said)];
}

function readRequest({ prompt, isWhole = true, tools = [], signal }: PromptOptions): TurnRequest {
  const start = systemCount(prompt);
  const messages = prompt.slice(start).map((message, index) => readAiSdkMessage(message, `prompt[${start + index}]`));
  const system = prompt.slice(0, start).map(({ content }) => String(content));
  return { messages, signal, ...(isWhole && { systemPrompt: system.join("\n"), tools }) };
}

/** The system prompt is at the beginning; it is never folded. */
function systemCount(prompt: readonly AiSdkMessageLike[]): number {
  const first = prompt.findIndex(({ role }) => role !== "system");
  return first < 0 ? prompt.length : first;
}

const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "tool"]);

/** What is written has the shapes that the SDK has for messages, whatever its version calls them. */
export function isMessage<Item extends AiSdkMessageLike>(message: AiSdkMessageLike): message is Item {
  return ROLES.has(message.role);
}
