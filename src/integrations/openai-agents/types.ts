/**
 * The models of `@openai/agents`, as far as we use them. They are declared here so that our types do not need the SDK's; the SDK's own models and
 * providers match them.
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
  /** Set if the API keeps the conversation: then the input holds only the new items. */
  previousResponseId?: string;
  conversationId?: string;
  signal?: AbortSignal;
}

export interface AgentsModelResponse {
  usage: object;
  output: object[];
}
