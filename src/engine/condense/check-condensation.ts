import { runValidators } from "../../core/condense/gates/run-validators.ts";
import { demandObject } from "../../core/demand.ts";
import { verifyFold } from "../../core/history/verify-fold.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import { getEffectiveApiHistory, summaryId } from "../../core/message/effective-view.ts";
import { isKnownBlock, type Message } from "../../core/message/message.ts";
import type {
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationValidator,
} from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { refuseCondensation } from "./condensation-run.ts";
import type { CondensationPorts } from "./run-condensation.ts";

/** What a condensation is held against. */
export interface Gates {
  /** The log before it. */
  readonly messages: readonly Message[];
  readonly options: CondensationOptions;
  readonly plugin: CondensationPlugin;
  readonly ports: CondensationPorts;
}

export type CheckedCondensation =
  | {
      readonly type: "accepted";
      readonly result: CondensationResult;
      readonly condenseId: string;
      readonly newContextTokens: number;
      readonly messagesHidden: number;
      /** By validator. */
      readonly scores: Readonly<Record<string, number>>;
    }
  | { readonly type: "refused"; readonly result: CondensationResult; readonly error: string };

/** Takes what a plugin returned for a result, or says what is wrong with it. */
export function readResult(returned: unknown, messages: readonly Message[]): CondensationResult {
  demandObject("what the plugin returned", returned);
  const field = (name: keyof CondensationResult): unknown => Reflect.get(returned, name);
  const amount = (name: "cost" | "modelCalls", fallback: number) => {
    const value = field(name);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fallback;
  };
  const cost = amount("cost", 0);
  const modelCalls = amount("modelCalls", 1);
  const [error, folded, summary, condenseId] = [
    field("error"),
    field("messages"),
    field("summary"),
    field("condenseId"),
  ];
  if (error !== undefined) return refuseCondensation(messages, { error: String(error), costUsd: cost, modelCalls });
  checkMessages(folded);
  return {
    messages: folded,
    summary: typeof summary === "string" ? summary : "",
    cost,
    modelCalls,
    ...(typeof condenseId === "string" ? { condenseId } : {}),
  };
}

/** Holds a condensation against every gate. */
export function checkCondensation(result: CondensationResult, gates: Gates): CheckedCondensation {
  const { messages, options, plugin, ports } = gates;
  if (result.error !== undefined) return { type: "refused", result, error: result.error };
  const { condenseId } = result;
  const hasSummary = result.messages.some((message) => condenseId !== undefined && summaryId(message) === condenseId);
  if (condenseId === undefined || !hasSummary) return refuse(result, gates, "It returned no summary and no error.");
  const fault = verifyFold(messages, result.messages);
  if (fault !== undefined) return refuse(result, gates, fault);
  const before = getEffectiveApiHistory(messages);
  const after = getEffectiveApiHistory(result.messages);
  const [tokensBefore, tokensAfter] = [before, after].map((view) => countMessagesTokens(view, options.countTokens));
  if (tokensBefore === undefined || tokensAfter === undefined || tokensAfter >= tokensBefore) {
    return refuse(
      result,
      gates,
      `The context grew: ${tokensAfter} tokens with the summary, ${tokensBefore} without it.`,
    );
  }
  const validators = ports.configuration.validation.enabled
    ? [...ownValidators(plugin, result), ...ports.validators]
    : [];
  const { isValid, issues, scores, faults } = runValidators(validators, before, after, result.summary);
  for (const error of faults) ports.monitor.fault({ plugin: plugin.name, error });
  if (!isValid) return refuse(result, gates, `It was refused: ${issues.join(" ")}`);

  const { overheadTokens, prevContextTokens } = options;
  const ratio = Math.max(0, prevContextTokens - overheadTokens) / tokensBefore;
  const newContextTokens = Math.ceil(overheadTokens + ratio * tokensAfter);
  const shown = new Set(after);
  return {
    type: "accepted",
    result: { ...result, newContextTokens },
    condenseId,
    newContextTokens,
    messagesHidden: before.filter((message) => !shown.has(message)).length,
    scores: ports.configuration.validation.metrics ? scores : {},
  };
}

/** The log stays as it was; what the attempt cost is kept. */
export function refuse(
  { cost, modelCalls }: CondensationResult,
  { messages }: Gates,
  error: string,
): CheckedCondensation {
  const result = refuseCondensation(messages, {
    error,
    costUsd: cost,
    ...(modelCalls === undefined ? {} : { modelCalls }),
  });
  return { type: "refused", result, error };
}

/** A plugin's own gate, as one validator among the others. */
function ownValidators(plugin: CondensationPlugin, result: CondensationResult): readonly CondensationValidator[] {
  const { validate } = plugin;
  if (validate === undefined) return [];
  return [{ name: plugin.name, validate: () => validate.call(plugin, result) }];
}

/** The same condensation with another text in its summary. */
export function replaceSummary(result: CondensationResult, summary: string): CondensationResult {
  const messages = result.messages.map((message) =>
    summaryId(message) === result.condenseId
      ? { ...message, content: replaceText(message, result.summary, summary) }
      : message,
  );
  return { ...result, messages, summary };
}

function replaceText({ content }: Message, before: string, after: string): Message["content"] {
  if (typeof content === "string") return content === before ? after : content;
  return content.map((block) =>
    isKnownBlock(block) && block.type === "text" && block.text === before ? { ...block, text: after } : block,
  );
}
