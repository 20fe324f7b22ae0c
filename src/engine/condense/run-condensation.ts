import { describeError } from "../../core/describe-error.ts";
import { summaryId } from "../../core/message/effective-view.ts";
import { type Content, type CountTokens, isKnownBlock, type Message } from "../../core/message/message.ts";
import type {
  CondensationContext,
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationValidator,
} from "../../core/ports/condensation.ts";
import type { Resolvers } from "../../core/ports/hooks.ts";
import type { Pause } from "../../core/ports/pacer.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";
import type { HookRunner } from "../extensions/hook-runner.ts";
import type { PluginRegistry } from "../extensions/plugin-registry.ts";
import type { Monitor } from "../monitoring/monitor.ts";
import { type CheckedCondensation, type CondensationAttempt, checkCondensation, refuse } from "./check-condensation.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { CONDENSING_IS_OFF } from "./off-switch.ts";
import { runCondenser } from "./run-condenser.ts";

/** The parts of an engine that a condensation uses. They may change while it runs: read them where they are needed. */
export interface CondensationPorts {
  readonly configuration: ResolvedConfiguration;
  readonly plugins: PluginRegistry;
  validators(): Promise<readonly CondensationValidator[]>;
  readonly hooks: HookRunner;
  readonly resolvers: Required<Resolvers>;
  /** Whether some of them are a user's, who may read the whole log. */
  readonly hasResolvers: boolean;
  readonly monitor: Monitor;
  /** Aborted as soon as condensing is switched off. */
  readonly offSignal: AbortSignal;
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Called between the steps of work on a long log. */
  readonly pause: Pause;
}

/** The number of messages from which on work on a log pauses. On a shorter log, no step takes long. */
const LONG_LOG = 1_000;
const WITHOUT_PAUSE: Pause = () => undefined;

/** The pause between the steps of work on these messages; for a short log, none. */
export function pauseFor(messages: readonly Message[], { pause }: Pick<CondensationPorts, "pause">): Pause {
  return messages.length < LONG_LOG ? WITHOUT_PAUSE : pause;
}

export interface CondensationRequest {
  readonly context: CondensationContext;
  readonly systemPrompt: string;
  readonly overheadTokens: number;
  readonly countTokens: CountTokens;
  readonly keepMessages: number;
  /** Replaces every other prompt, except one that a hook sets. */
  readonly prompt?: string | undefined;
  /** Whether condensers that ask a model take part. */
  readonly mayAskModel: boolean;
  /** The size of the prompt to aim at, as a share of the longest one. */
  readonly targetShare?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tries one condenser after the other, best first, until a result passes every check and every validator. Never throws: where all fail, the result
 * has their errors and their cost.
 */
export async function runCondensation(
  request: CondensationRequest,
  ports: CondensationPorts,
): Promise<CondensationResult> {
  const { context } = request;
  const { messages, taskId, trigger } = context;
  const signal = AbortSignal.any([ports.offSignal, ...(request.signal === undefined ? [] : [request.signal])]);
  const verdict = await hooksOf(ports)?.beforeCondensation(context);
  if (verdict?.type === "veto") return refuseCondensation(messages, { error: `A hook vetoed it: ${verdict.reason}` });
  const edited = { ...request, ...verdict, signal };
  const ordered = await orderCondensers(context, ports);
  const condensers = ordered.filter((condenser) => request.mayAskModel || !asksModel(condenser));
  if (condensers.length === 0) return refuseCondensation(messages, { error: "No strategy is ready to condense this." });

  await hooksOf(ports)?.preCompress(Object.freeze({ taskId, trigger, messages }));
  const spent = { costUsd: 0, modelCalls: 0 };
  const errors: string[] = [];
  const modelErrors: string[] = [];
  for (const condenser of condensers) {
    // An abort, or switching condensing off, ends all attempts.
    if (signal.aborted) break;
    const maxModelCalls = Math.max(0, ports.configuration.strategies.maxModelCalls - spent.modelCalls);
    const options = optionsFor(condenser, edited, { maxModelCalls, ports });
    const result = await tryCondenser(condenser, options, { context, ports });
    spent.costUsd += result.cost;
    spent.modelCalls += result.modelCalls ?? 1;
    if (result.error === undefined)
      return { ...withModelErrors(result, modelErrors), cost: spent.costUsd, modelCalls: spent.modelCalls };
    errors.push(condensers.length === 1 ? result.error : `${condenser.name}: ${result.error}`);
    if (asksModel(condenser)) modelErrors.push(`${condenser.name}: ${result.error}`);
  }
  const error = signal.aborted ? whyAborted(ports) : errors.join(" ");
  return refuseCondensation(messages, { error, ...spent });
}

function asksModel({ usesModel = true }: CondensationPlugin): boolean {
  return usesModel;
}

function withModelErrors(result: CondensationResult, modelErrors: readonly string[]): CondensationResult {
  return modelErrors.length === 0 ? result : { ...result, modelError: modelErrors.join(" ") };
}

function whyAborted({ offSignal }: CondensationPorts): string {
  return offSignal.aborted ? CONDENSING_IS_OFF : "The request was aborted.";
}

/** The hooks; undefined while they are switched off. */
function hooksOf({ configuration, hooks }: CondensationPorts): HookRunner | undefined {
  return configuration.monitoring.hooks ? hooks : undefined;
}

async function orderCondensers(
  context: CondensationContext,
  ports: CondensationPorts,
): Promise<readonly CondensationPlugin[]> {
  const active = ports.plugins.activePlugins(context);
  const chosen = await hooksOf(ports)?.selectStrategy(
    context,
    active.map(({ name }) => name),
  );
  return chosen === undefined
    ? active
    : active.toSorted((a, b) => Number(b.name === chosen) - Number(a.name === chosen));
}

function optionsFor(
  { name }: CondensationPlugin,
  request: CondensationRequest,
  { maxModelCalls, ports }: { readonly maxModelCalls: number; readonly ports: CondensationPorts },
): CondensationOptions {
  const { context, prompt, signal, systemPrompt, overheadTokens, countTokens, keepMessages, targetShare } = request;
  const { customPrompts, timeoutMs } = ports.configuration.strategies;
  const configured = Object.hasOwn(customPrompts, name) ? customPrompts[name] : undefined;
  const resolved = prompt ?? ports.resolvers.prompt(context, name) ?? configured;
  const { messages: _messages, ...situation } = context;
  return Object.freeze({
    ...situation,
    systemPrompt,
    overheadTokens,
    countTokens,
    keepMessages,
    maxModelCalls,
    timeoutMs,
    ...(targetShare === undefined ? {} : { targetShare }),
    ...(resolved === undefined || resolved.trim() === "" ? {} : { prompt: resolved }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Runs one condenser, checks its result, and reports both to the monitor. */
async function tryCondenser(
  condenser: CondensationPlugin,
  options: CondensationOptions,
  { context, ports }: Pick<CondensationRequest, "context"> & { readonly ports: CondensationPorts },
): Promise<CondensationResult> {
  const { monitor, now } = ports;
  const { messages, taskId, trigger, prevContextTokens } = context;
  const start = { taskId, strategy: condenser.name, trigger, prevContextTokens };
  const startedAt = now();
  monitor.started(start);
  const attempt: CondensationAttempt = { messages, options, condenser, ports };
  const returned = await runCondenser(condenser, options, messages);
  await pauseFor(messages, ports)();
  const checked = await afterHooks(await check(returned, attempt), attempt, context);
  const durationMs = now() - startedAt;
  const { result } = checked;
  if (checked.type === "refused") {
    monitor.failed({ ...start, error: checked.error, costUsd: result.cost, durationMs });
  } else {
    const { condenseId, newContextTokens, messagesHidden, scores } = checked;
    monitor.succeeded({
      ...start,
      condenseId,
      newContextTokens,
      messagesHidden,
      scores,
      costUsd: result.cost,
      durationMs,
    });
  }
  return result;
}

/** Checks a result. Where a counter or validator throws, the condensation is refused. */
async function check(result: CondensationResult, attempt: CondensationAttempt): Promise<CheckedCondensation> {
  try {
    return await checkCondensation(result, attempt, pauseFor(attempt.messages, attempt.ports));
  } catch (error) {
    return refuse(result, attempt, describeError(error));
  }
}

/** Calls the hooks with an accepted condensation. A summary that a hook edits is checked again. */
async function afterHooks(
  checked: CheckedCondensation,
  attempt: CondensationAttempt,
  context: CondensationContext,
): Promise<CheckedCondensation> {
  if (checked.type === "refused") return checked;
  const { result } = checked;
  const verdict = await hooksOf(attempt.ports)?.afterCondensation(context, Object.freeze(result));
  if (verdict === undefined) return checked;
  if (verdict.type === "veto") return refuse(result, attempt, `A hook vetoed it: ${verdict.reason}`);
  const edited = replaceSummary(result, verdict.summary);
  return edited === undefined
    ? refuse(result, attempt, "A hook edited the summary, but its text is not in the message that stands for it.")
    : check(edited, attempt);
}

/** The condensation with another summary text; undefined where no message holds the text before. */
function replaceSummary(result: CondensationResult, summary: string): CondensationResult | undefined {
  const { condenseId, summary: before } = result;
  const isHolder = (message: Message) => summaryId(message) === condenseId && holds(message.content, before);
  const holder = before === "" ? -1 : result.messages.findIndex(isHolder);
  if (holder < 0) return undefined;
  const messages = result.messages.map((message, index) =>
    index === holder ? { ...message, content: replaceText(message.content, before, summary) } : message,
  );
  return { ...result, messages, summary };
}

function holds(content: Content, text: string): boolean {
  if (typeof content === "string") return content.includes(text);
  return content.some((block) => isKnownBlock(block) && block.type === "text" && block.text.includes(text));
}

function replaceText(content: Content, before: string, after: string): Content {
  // By a function: in a replacement text, `$` has a special meaning.
  const replace = (text: string) => text.replace(before, () => after);
  if (typeof content === "string") return replace(content);
  return content.map((block) =>
    isKnownBlock(block) && block.type === "text" ? { ...block, text: replace(block.text) } : block,
  );
}
