import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";

/** What Mastra passes to all methods of a processor, as far as we use it. */
export interface MastraContext {
  /** One object for all steps of a run. */
  readonly state: object;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface MastraStep extends MastraContext {
  readonly tools?: object | undefined;
  readonly activeTools?: readonly string[] | undefined;
}

export interface MastraRequest<Item extends AiSdkMessageLike> extends MastraContext {
  readonly prompt: readonly Item[];
  readonly requestContext?: { get(key: string): unknown } | undefined;
  readonly messageList?: { readonly get: { readonly all: { db(): readonly object[] } } } | undefined;
}

export interface MastraResponse extends MastraContext {
  readonly chunks: readonly { readonly type: string; readonly payload: unknown }[];
  /** Whether another processor has answered in place of the model. */
  readonly fromCache: boolean;
}

export interface MastraRefusal extends MastraContext {
  readonly error: unknown;
  readonly stepNumber: number;
}

/** A processor for `inputProcessors` and `errorProcessors` of an agent, declared here so that our types do not need Mastra's. */
export interface PalimpsestProcessor {
  readonly id: "palimpsest";
  readonly name: string;
  /** Notes which tools the step sends; changes nothing. */
  processInputStep(step: MastraStep): undefined;
  processLLMRequest<Item extends AiSdkMessageLike>(
    request: MastraRequest<Item>,
  ): Promise<{ prompt: Item[] } | undefined>;
  processLLMResponse(response: MastraResponse): undefined;
  processAPIError(refusal: MastraRefusal): Promise<{ retry: boolean } | undefined>;
}
