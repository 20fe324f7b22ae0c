import type { CondensationPlan } from "../../core/condense/condensation-plan.ts";
import { planRequests, type RequestFrame, requestMessages } from "../../core/condense/request/plan-requests.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
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
  /** What of a reply is the summary. @default all of it */
  readonly read?: (reply: string) => ReadReply;
}

export type ReadReply =
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "unreadable"; readonly reason: string };

/** The share of a small window that the reply may take. */
const MAX_OUTPUT_SHARE = 0.25;

/** The last reply, with the cost and the number of all requests. */
export type CondensingReply = ModelReply & { readonly modelCalls: number };

/** Asks a model to condense what the plan hides, in as many requests as its window demands. */
export async function runRequests(plan: CondensationPlan, call: CondensingCall): Promise<CondensingReply> {
  const model = handlerModel(call.handler);
  const maxOutputTokens = Math.floor(
    Math.min(call.maxOutputTokens, model.outputLimitTokens, model.contextWindow * MAX_OUTPUT_SHARE),
  );
  const frame: RequestFrame = {
    systemPrompt: call.systemPrompt,
    request: call.request,
    maxOutputTokens,
    contextWindow: model.contextWindow,
    maxModelCalls: call.maxModelCalls,
    countTokens: (text) => countTextTokens(text) * model.tokenRatio,
  };
  const requests = planRequests(plan, frame);
  if (requests.type === "refused") return { type: "failed", error: requests.error, costUsd: 0, modelCalls: 0 };
  const { read = readText } = call;
  let costUsd = 0;
  let modelCalls = 0;
  let earlierSummary = plan.earlierSummary;
  let last: ModelReply = { type: "failed", error: "There was nothing to ask.", costUsd };
  for (const index of requests.parts.keys()) {
    const { handler, systemPrompt, temperature, timeoutMs, signal } = call;
    const messages = requestMessages(requests, index, { frame, earlierSummary });
    last = await askModel({ handler, systemPrompt, messages, maxOutputTokens, temperature, timeoutMs, signal });
    costUsd += last.costUsd;
    modelCalls += 1;
    if (last.type === "failed") break;
    const summary = read(withoutThinking(last.text));
    if (summary.type === "unreadable") return { type: "failed", error: summary.reason, costUsd, modelCalls };
    earlierSummary = summary.text;
    last = { ...last, text: summary.text };
  }
  return { ...last, costUsd, modelCalls };
}

function readText(text: string): ReadReply {
  return text === "" ? { type: "unreadable", reason: "The model replied with no text." } : { type: "summary", text };
}

const THINKING = /^\s*<think(?:ing)?>/;
const THINKING_END = /<\/think(?:ing)?>/;

/** Some models send their reasoning as text: it never becomes memory. */
function withoutThinking(reply: string): string {
  if (!THINKING.test(reply)) return reply;
  const end = THINKING_END.exec(reply);
  return end === null ? "" : reply.slice(end.index + end[0].length).trim();
}
