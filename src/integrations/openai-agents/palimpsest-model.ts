import { assertFunction, assertObject } from "../../core/assert.ts";
import { openCall } from "./model-call.ts";
import { checkModelOptions, type PalimpsestModelOptions } from "./options.ts";
import { streamResponse } from "./stream-response.ts";
import type { AgentsModel, AgentsModelProvider, AgentsModelRequest, AgentsModelResponse } from "./types.ts";

/**
 * A provider whose models keep every prompt inside the window: `new Runner({ modelProvider })`. What the SDK keeps, its sessions included, is as it
 * was said; only what a call of the model sends is folded, and items without folds go through as the same objects. Usage is observed; a refusal
 * as too long is learnt from, and the call is made once more with a shorter prompt.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestProvider } from "palimpsest/openai-agents";
 * const engine = createEngine({ model: "gpt-5.4" });
 * const provider = { getModel: () => ({ getResponse: async () => ({ usage: {}, output: [] }), async *getStreamedResponse() {} }) }; // new OpenAIProvider()
 * const modelProvider = palimpsestProvider(provider, { engine, sessionId: "task-42" });
 * console.log(typeof modelProvider.getModel); // function
 * ```
 */
export function palimpsestProvider<Provider extends AgentsModelProvider>(
  provider: Provider,
  options: PalimpsestModelOptions,
): Provider {
  assertObject("provider", provider);
  assertFunction("provider.getModel", provider.getModel);
  checkModelOptions(options);
  const getModel = async (modelName?: string) => palimpsestModel(await provider.getModel(modelName), options);
  return withMethods(provider, { getModel });
}

/**
 * A model that keeps every prompt inside the window, as `palimpsestProvider` does: for an agent that is given its model itself.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestModel } from "palimpsest/openai-agents";
 * const engine = createEngine({ model: "gpt-5.4" });
 * const own = { getResponse: async () => ({ usage: {}, output: [] }), async *getStreamedResponse() {} }; // new OpenAIResponsesModel(client, "gpt-5.4")
 * const model = palimpsestModel(own, { engine, sessionId: "task-42" });
 * console.log(typeof model.getResponse); // function
 * ```
 */
export function palimpsestModel<Model extends AgentsModel>(model: Model, options: PalimpsestModelOptions): Model {
  assertObject("model", model);
  assertFunction("model.getResponse", model.getResponse);
  checkModelOptions(options);
  return withMethods(model, {
    getResponse: (request: AgentsModelRequest) => getResponse(model, request, options),
    getStreamedResponse: (request: AgentsModelRequest) => streamResponse(model, request, options),
  });
}

/** The same object but for some methods; the others keep their own `this`, which their private fields need. */
function withMethods<Value extends object>(value: Value, methods: Readonly<Record<string, unknown>>): Value {
  return new Proxy(value, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(methods, name)) return methods[name];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

async function getResponse(
  model: AgentsModel,
  request: AgentsModelRequest,
  options: PalimpsestModelOptions,
): Promise<AgentsModelResponse> {
  const call = await openCall(request, options);
  if (call === undefined) return model.getResponse(request);
  const response = await model.getResponse(call.request()).catch(async (error: unknown) => {
    if (!(await call.shorten(error))) throw error;
    return model.getResponse(call.request());
  });
  await call.close(response);
  return response;
}
