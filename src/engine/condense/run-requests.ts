import type { CondensationPlan } from "../../core/condense/condensation-plan.ts";
import { planRequests, type RequestFrame, requestMessages } from "../../core/condense/request/plan-requests.ts";
import { withoutThinking } from "../../core/condense/request/without-thinking.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { askModel, type ModelReply } from "../model/ask-model.ts";
import { handlerModel } from "../model/handler-model.ts";

export interface CondensingCall {
  readonly handler: ModelHandler;
  readonly systemPrompt: string;
  readonly request: string;
  readonly temperature: number;
  readonly maxOutputTokens: number;
  readonly maxModelCalls: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Reads the summary out of a reply. @default the whole reply */
  readonly read?: (reply: string) => ReadReply;
}

export type ReadReply =
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "unreadable"; readonly reason: string };

/** The share of a small window that the reply may take. */
const MAX_OUTPUT_SHARE = 0.25;

/** The last reply, with the cost and number of all requests. */
export type CondensingReply = ModelReply & { readonly modelCalls: number };

/** Asks a model to condense the messages that the plan hides, in as many requests as the model's window demands. */
export async function runRequests(plan: CondensationPlan, call: CondensingCall): Promise<CondensingReply> {
  const frame = frameFor(call, plan);
  const requests = planRequests(plan, frame);
  if (requests.type === "refused") return { type: "failed", error: requests.error, costUsd: 0, modelCalls: 0 };
  let costUsd = 0;
  let modelCalls = 0;
  let earlierSummary = plan.earlierSummary;
  let last: ModelReply = { type: "failed", error: "There is nothing to read in what would be hidden.", costUsd };
  for (const index of requests.parts.keys()) {
    const { handler, systemPrompt, temperature, timeoutMs, signal } = call;
    const { maxOutputTokens } = frame;
    if (signal?.aborted === true) {
      last = { type: "failed", error: "The request was aborted.", costUsd };
      break;
    }
    const messages = requestMessages(requests, index, { frame, earlierSummary });
    const reply = await askModel({ handler, systemPrompt, messages, maxOutputTokens, temperature, timeoutMs, signal });
    last = readReply(reply, call);
    costUsd += last.costUsd;
    modelCalls += 1;
    if (last.type === "failed") break;
    earlierSummary = last.text;
  }
  return last.type === "failed"
    ? { ...last, error: `Condensing failed: ${last.error}`, costUsd, modelCalls }
    : { ...last, costUsd, modelCalls };
}

function frameFor(
  { handler, systemPrompt, request, maxModelCalls, ...call }: CondensingCall,
  { toSummarize }: CondensationPlan,
): RequestFrame {
  const { contextWindow, inputLimitTokens, outputLimitTokens, tokenRatio } = handlerModel(handler);
  const maxOutputTokens = Math.floor(
    Math.min(call.maxOutputTokens, outputLimitTokens, contextWindow * MAX_OUTPUT_SHARE),
  );
  return {
    systemPrompt,
    request,
    maxOutputTokens,
    contextWindow: Math.min(contextWindow, inputLimitTokens + maxOutputTokens),
    maxModelCalls,
    countTokens: (text) => Math.ceil(countTextTokens(text) * tokenRatio),
    // In most cases cached since the messages were appended.
    knownTokens: countMessagesTokens(toSummarize) * tokenRatio,
  };
}

function readReply(reply: ModelReply, { read = readText }: CondensingCall): ModelReply {
  if (reply.type === "failed") return reply;
  const { costUsd } = reply;
  const text = withoutThinking(reply.text);
  // The reported output tokens include thoughts, which are no part of the summary.
  const outputTokens = text === reply.text ? reply.outputTokens : 0;
  const summary = read(text);
  switch (summary.type) {
    case "summary":
      return { type: "reply", text: summary.text, outputTokens, costUsd };
    case "unreadable":
      return { type: "failed", error: summary.reason, costUsd };
  }
}

function readText(text: string): ReadReply {
  return text === "" ? { type: "unreadable", reason: "The model replied with no text." } : { type: "summary", text };
}
