import { asName, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { logError, unlessFailed } from "../shared/callbacks.ts";
import { type FoldedPrompt, foldPrompt, isMessage } from "../shared/fold-ai-sdk-prompt.ts";
import { readAiSdkUsage } from "../shared/read-ai-sdk-usage.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import { checkOptions, type PalimpsestProcessorOptions } from "./options.ts";
import type { MastraRequest, MastraResponse, MastraStep, PalimpsestProcessor } from "./types.ts";

/** The state of a run between the methods of the processor. */
interface Run {
  readonly tools?: readonly object[];
  /** The request in flight. */
  readonly sent?: { readonly session: Session; readonly turn: Turn };
  /** The step that was refused as too long and retried. */
  readonly retriedStep?: number;
}

/**
 * A processor for Mastra's agents that keeps every prompt inside the window. Mastra's messages and its memory stay whole: only what one request sends
 * is folded, and messages without folds are sent as the same objects. Usage is observed. If it is among the `errorProcessors` too, and the provider
 * refuses a prompt as too long, the limit is learnt and the request is sent once more, shorter. Put it first: the others then see what is sent.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestProcessor } from "palimpsest/mastra";
 * const engine = createEngine({ model: "claude-sonnet-4-5" });
 * const processor = palimpsestProcessor({ engine }); // new Agent({ …, inputProcessors: [processor], errorProcessors: [processor] })
 * console.log(processor.id); // palimpsest
 * ```
 */
export function palimpsestProcessor(options: PalimpsestProcessorOptions): PalimpsestProcessor {
  checkOptions(options);
  const { onReport, onError = logError } = options;
  // Mastra passes one state object to all steps of a run.
  const runs = new WeakMap<object, Run>();
  const update = (state: object, change: Run) => void runs.set(state, { ...runs.get(state), ...change });

  async function fold(request: MastraRequest<AiSdkMessageLike>): Promise<FoldedPrompt | undefined> {
    const { state, abortSignal: signal } = request;
    const prompt = request.prompt.map(withoutOwnNotes);
    const session = options.session ?? (await options.engine.session(sessionIdOf(request, options.sessionId)));
    const folded = await foldPrompt(session, { prompt, tools: runs.get(state)?.tools, signal });
    if (folded === undefined) return undefined;
    update(state, { sent: { session, turn: folded.turn } });
    if (folded.prompt === prompt) return { turn: folded.turn, prompt: request.prompt };
    // Messages without folds are sent as the objects that came, with Mastra's notes.
    const originals = new Map(prompt.map((message, index) => [message, request.prompt[index] ?? message]));
    return { turn: folded.turn, prompt: folded.prompt.map((message) => originals.get(message) ?? message) };
  }

  return {
    id: "palimpsest",
    name: "Palimpsest",
    processInputStep(step) {
      update(step.state, { tools: describeTools(step) });
      return undefined;
    },
    async processLLMRequest<Item extends AiSdkMessageLike>(request: MastraRequest<Item>) {
      const { tools = [], retriedStep = -1 } = runs.get(request.state) ?? {};
      runs.set(request.state, { tools, retriedStep });
      const folded = await unlessFailed(() => fold(request), { onError, signal: request.abortSignal });
      if (folded === undefined) return undefined;
      onReport?.(folded.turn.report);
      return folded.prompt === request.prompt ? undefined : { prompt: folded.prompt.filter(isMessage<Item>) };
    },
    processLLMResponse(response) {
      const sent = runs.get(response.state)?.sent;
      const usage = response.fromCache ? undefined : usageOf(response);
      if (sent !== undefined && usage !== undefined) turnsOf(sent.session).observe(sent.turn, usage);
      return undefined;
    },
    async processAPIError({ state, error, stepNumber, abortSignal: signal }) {
      const { sent, retriedStep } = runs.get(state) ?? {};
      if (sent === undefined || retriedStep === stepNumber) return undefined;
      // If shortening fails, the caller gets the provider's refusal and not our error.
      const shorten = () => turnsOf(sent.session).shorten(sent.turn, error);
      const shorter = await unlessFailed(shorten, { onError, signal }).catch(() => undefined);
      if (shorter === undefined) return undefined;
      // Mastra processes the prompt again for the retry: the session now folds it to the limit that it learnt.
      update(state, { retriedStep: stepNumber });
      return { retry: true };
    },
  };
}

/** The usage of a response: Mastra flattens the numbers, and keeps the model's own report in `raw`. */
function usageOf({ chunks }: MastraResponse) {
  const usage = fieldAt(chunks.findLast(({ type }) => type === "finish")?.payload, "output", "usage");
  return readAiSdkUsage(fieldAt(usage, "raw")) ?? readAiSdkUsage(usage);
}

/** The tools of a step, for counting: Mastra keeps the schema that it sends in a field of its own. */
function describeTools({ tools = {}, activeTools }: MastraStep): readonly object[] {
  return Object.entries(tools)
    .filter(([name]) => activeTools === undefined || activeTools.includes(name))
    .map(([name, tool]) => ({
      name,
      description: fieldAt(tool, "description"),
      inputSchema: fieldAt(tool, "parameters", "jsonSchema") ?? fieldAt(tool, "inputSchema", "jsonSchema"),
    }));
}

/**
 * A message without Mastra's own notes on it: its time, and copies of some tools' results. They are not sent to a provider, and should not be kept
 * in the log.
 */
function withoutOwnNotes(message: AiSdkMessageLike): AiSdkMessageLike {
  const { role, content, ...fields } = message;
  return { ...withoutNotes(fields), role, content: Array.isArray(content) ? content.map(partWithoutNotes) : content };
}

function partWithoutNotes(part: unknown): unknown {
  return isRecord(part) ? withoutNotes(part) : part;
}

function withoutNotes(fields: object): object {
  if (!("providerOptions" in fields) || !isRecord(fields.providerOptions)) return fields;
  const { providerOptions, ...rest } = fields;
  const { mastra: _, ...others } = providerOptions;
  return Object.keys(others).length === 0 ? rest : { ...rest, providerOptions: others };
}

/** The id of the session that a request belongs to: its thread's, or else the one in the options, or else one made of its first message. */
function sessionIdOf(
  { prompt, requestContext, messageList }: MastraRequest<AiSdkMessageLike>,
  named: string | undefined,
): string {
  const messages = messageList?.get.all.db() ?? [];
  // Mastra's memory may put messages of other threads first: the newest message is of this thread.
  const threadId =
    asName(fieldAt(requestContext?.get("MastraMemory"), "thread", "id")) ??
    asName(fieldAt(messages.at(-1), "threadId"));
  const firstId = asName(fieldAt(messages[0], "id"));
  return threadId ?? named ?? `mastra-${firstId ?? shortHash(serialize(prompt[0]?.content))}`;
}
