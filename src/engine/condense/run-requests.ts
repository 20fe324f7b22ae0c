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
  /** What of a reply goes into the next request. @default all of it */
  readonly carry?: (reply: string) => string;
}

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
  const { carry = (reply) => reply } = call;
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
    earlierSummary = carry(last.text);
  }
  return { ...last, costUsd, modelCalls };
}
