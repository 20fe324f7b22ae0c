import { assertFunction, assertObject } from "../../core/assert.ts";
import { asName, fieldAt } from "../../core/json/read-json.ts";
import { type ModelCall, openCall } from "./model-call.ts";
import { checkModelOptions, type PalimpsestModelOptions } from "./options.ts";
import type { AgentsModel, AgentsModelProvider, AgentsModelRequest, AgentsModelResponse } from "./types.ts";

/**
 * A provider whose models keep every prompt inside the window: `new Runner({ modelProvider })`. What the SDK keeps, its sessions included, stays
 * unfolded; only what a call of the model sends is folded, and items without folds are sent as the same objects. Usage is observed; if the provider
 * refuses a prompt as too long, the limit is learnt and the call is sent once more, shorter.
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

/** A proxy that replaces some methods. The others keep their own `this`, which private fields need. */
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

/** The events of a streamed response. */
async function* streamResponse(
  model: AgentsModel,
  request: AgentsModelRequest,
  options: PalimpsestModelOptions,
): AsyncIterable<object> {
  const call = await openCall(request, options);
  if (call === undefined) {
    yield* model.getStreamedResponse(request);
    return;
  }
  const failed = yield* forward(model.getStreamedResponse(call.request()), call);
  if (failed === undefined) return;
  const isShorter = await call.shorten(failed.reason ?? failed.error);
  const final = isShorter ? yield* forward(model.getStreamedResponse(call.request()), call) : failed;
  if (final === undefined) return;
  yield* final.held;
  throw final.error;
}

/** A stream that failed before its first content: none of it was passed on, so that the request can be sent again. */
interface FailedOpening {
  readonly error: unknown;
  /** The API's own error in the stream, if there is one: the SDK's error does not give the reason. */
  readonly reason: unknown;
  /** The events that were held back. */
  readonly held: readonly object[];
}

/** Passes events on from the first content on; returns the failure if the stream fails before that. */
async function* forward(
  events: AsyncIterable<object>,
  call: ModelCall,
): AsyncGenerator<object, FailedOpening | undefined> {
  const held: object[] = [];
  let isOpen = false;
  try {
    for await (const event of events) {
      if (!isOpen && isOpening(event)) {
        held.push(event);
        continue;
      }
      if (!isOpen) yield* held;
      isOpen = true;
      if (fieldAt(event, "type") === "response_done") await call.close(fieldAt(event, "response"));
      yield event;
    }
  } catch (error) {
    if (isOpen) throw error;
    return { error, reason: held.map(reasonOf).find((reason) => reason !== undefined), held };
  }
  if (!isOpen) yield* held;
  return undefined;
}

const OPENING_EVENTS: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.failed",
  "error",
]);

function isOpening(event: object): boolean {
  const type = fieldAt(event, "type");
  return (
    type === "response_started" ||
    (type === "model" && OPENING_EVENTS.has(asName(fieldAt(event, "event", "type")) ?? ""))
  );
}

function reasonOf(event: object): unknown {
  return fieldAt(event, "event", "response", "error") ?? undefined;
}
