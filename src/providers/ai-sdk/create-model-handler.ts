import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { assert, assertNumber, assertOptionNames } from "../../core/assert.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import type { Message } from "../../core/message/message.ts";
import { missingPackage } from "../../core/missing-package.ts";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { condenseDefaults, findModel } from "../../core/models/registry.ts";
import type { HandlerModel, ModelCall, ModelChunk, ModelHandler } from "../../core/ports/model-handler.ts";
import type { ModelHandlerOptions } from "./model-handler-options.ts";
import { asNewestModel, type StreamingModel } from "./older-models.ts";
import { toRequest } from "./prompt/to-request.ts";
import { byToolName } from "./prompt/tools.ts";
import type { Provider } from "./provider-table.ts";
import { resolveTarget, type Target } from "./resolve-target.ts";
import { retryStream } from "./retry-stream.ts";
import { streamReply } from "./stream-reply.ts";

const MODEL = 'a name such as "anthropic/claude-haiku-4-5", or options with one';

const HANDLER_OPTIONS: Readonly<Record<keyof ModelHandlerOptions, true>> = {
  model: true,
  apiKey: true,
  baseUrl: true,
  headers: true,
  environment: true,
  maxRetries: true,
  retryDelayMs: true,
  registry: true,
  fetch: true,
};

/**
 * A handler for the model that a string names, such as `anthropic/claude-haiku-4-5` or `ollama/llama3.1`. Throws
 * `invalid-argument` at once where a name, a key or an address is wrong or missing. The provider's package is loaded at the
 * first request.
 * @example
 * ```ts
 * import { createModelHandler } from "palimpsest/providers";
 * import { startModelServer } from "palimpsest/testing";
 * const server = await startModelServer({ reply: () => ({ type: "text", text: "Twice is a tug." }) });
 * const handler = createModelHandler({ model: "anthropic/claude-haiku-4-5", baseUrl: server.baseUrls.anthropic, apiKey: "any" });
 * for await (const chunk of handler.createMessage("", [{ role: "user", content: "Why?" }])) if (chunk.type === "text") console.log(chunk.text); // Twice is a tug.
 * await server.close();
 * ```
 */
export function createModelHandler(model: string | ModelHandlerOptions): ModelHandler {
  const options = typeof model === "string" ? { model } : model;
  assert(typeof options === "object" && options !== null, "model", options, MODEL);
  // With a mistyped address, the conversation would go to the provider's own.
  assertOptionNames("options", options, HANDLER_OPTIONS);
  const { maxRetries = 2, retryDelayMs = 500, registry } = options;
  assertNumber("maxRetries", maxRetries, 0);
  assertNumber("retryDelayMs", retryDelayMs, 0);
  const target = resolveTarget(options);
  const entry = registry === undefined ? findModel(target.modelId) : registry.find(target.modelId);
  const retries = { maxRetries, retryDelayMs, modelName: target.name, secrets: secretsOf(target) };

  async function* createMessage(
    systemPrompt: string,
    messages: readonly Message[],
    call?: ModelCall,
  ): AsyncGenerator<ModelChunk> {
    checkMessages(messages);
    call?.signal.throwIfAborted();
    const tools = byToolName(call?.tools ?? []);
    const prompt = toRequest(systemPrompt, messages, { provider: target.provider, entry, tools });
    const request = { ...prompt, ...settingsOf(call) };
    const languageModel = await openModel(target);
    const pricing = { entry, isSelfHosted: target.provider.isSelfHosted };
    const ask = () => streamReply(languageModel, { request, pricing, tools, signal: call?.signal });
    yield* retryStream(ask, { ...retries, signal: call?.signal });
  }

  return { createMessage, getModel: () => handlerModel(target.modelId, entry) };
}

async function openModel({ provider, modelId, connection }: Target): Promise<StreamingModel> {
  try {
    return asNewestModel(await provider.open(modelId, connection));
  } catch (error) {
    throw missingPackage(provider.packageName, error) ?? error;
  }
}

// The provider packages leave the temperature out for models that refuse it.
function settingsOf(call: ModelCall | undefined): Partial<LanguageModelV4CallOptions> {
  return call === undefined ? {} : { maxOutputTokens: call.maxOutputTokens, temperature: call.temperature };
}

function secretsOf({ connection }: Target): readonly string[] {
  return [connection.apiKey ?? "", ...Object.values(connection.headers)];
}

function handlerModel(id: string, entry: ModelEntry): HandlerModel {
  // the registry's defaults for unknown models are no knowledge about this one
  if (entry.id === "unknown") return { id };
  const { contextWindow, outputLimitTokens, takesImages } = entry;
  return { id, info: { contextWindow, maxTokens: outputLimitTokens, supportsImages: takesImages } };
}

/**
 * A handler for the model that condenses the conversations of the given model: a smaller one of the same provider where the registry
 * names one (on routers and local servers, only where your own registry does), else the model itself. Takes the options of
 * `createModelHandler`.
 * @example
 * ```ts
 * import { createCondensingHandler } from "palimpsest/providers";
 * const handler = createCondensingHandler({ model: "anthropic/claude-sonnet-4-5", apiKey: "any" });
 * console.log(handler.getModel().id); // claude-haiku-5-5
 * ```
 */
export function createCondensingHandler(model: string | ModelHandlerOptions): ModelHandler {
  const options = typeof model === "string" ? { model } : model;
  const handler = createModelHandler(options);
  const { provider, modelId } = resolveTarget(options);
  const builtIn = condenseDefaults(findModel(modelId));
  const defaults = options.registry === undefined ? builtIn : condenseDefaults(options.registry.find(modelId));
  const isKnownToServe = defaults !== builtIn || servesModelsOfVendor(provider);
  if (defaults.condenseWith.type === "itself" || !isKnownToServe) return handler;
  const prefix = options.model.slice(0, options.model.length - modelId.length);
  return createModelHandler({ ...options, model: `${prefix}${defaults.condenseWith.modelId}` });
}

/** Whether this is the API of the models' own vendor. A router or a local server may lack a model, or have it under another name. */
function servesModelsOfVendor({ baseUrl, isSelfHosted }: Provider): boolean {
  return baseUrl !== undefined && !isSelfHosted;
}
