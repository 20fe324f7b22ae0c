/**
 * What the models of `@openai/agents` are, as far as it matters here. Of our own, so that nobody needs the SDK's types to read ours; the SDK's
 * own models and providers fit.
 */

/** Looks up models by their names, as `new OpenAIProvider()` does. */
export interface AgentsModelProvider {
  getModel(modelName?: string): AgentsModel | Promise<AgentsModel>;
}

export interface AgentsModel {
  getResponse(request: AgentsModelRequest): Promise<AgentsModelResponse>;
  getStreamedResponse(request: AgentsModelRequest): AsyncIterable<object>;
}

export interface AgentsModelRequest {
  input: string | object[];
  systemInstructions?: string;
  tools: object[];
  handoffs: object[];
  /** Set where the API keeps the conversation: then the input is only what is new. */
  previousResponseId?: string;
  conversationId?: string;
  signal?: AbortSignal;
}

export interface AgentsModelResponse {
  usage: object;
  output: object[];
}
