import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";

/** What all methods of a processor are given, as far as it matters here. */
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

/** Fits `inputProcessors` and `errorProcessors` of an agent. Of its own types, so that nobody needs Mastra's to read ours. */
export interface PalimpsestProcessor {
  readonly id: "palimpsest";
  readonly name: string;
  /** Reads which tools are sent; changes nothing. */
  processInputStep(step: MastraStep): undefined;
  processLLMRequest<Item extends AiSdkMessageLike>(
    request: MastraRequest<Item>,
  ): Promise<{ prompt: Item[] } | undefined>;
  processLLMResponse(response: MastraResponse): undefined;
  processAPIError(refusal: MastraRefusal): Promise<{ retry: boolean } | undefined>;
}
