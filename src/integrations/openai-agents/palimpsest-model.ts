import { assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { asArray, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Session } from "../../engine/session/session.ts";
import { readRefusal } from "../shared/read-refusal.ts";
import { type SessionTurns, type Turn, turnsOf } from "../shared/session-turns.ts";
import { unlessFailed } from "../shared/unless-failed.ts";
import { checkModelOptions, type PalimpsestModelOptions } from "./options.ts";
import { type ItemGroup, readItems } from "./read-items.ts";
import { readUsage } from "./read-usage.ts";
import { sessionOf } from "./session-of.ts";
import type { AgentsModel, AgentsModelProvider, AgentsModelRequest, AgentsModelResponse } from "./types.ts";
import { writeItems } from "./write-items.ts";

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
    await call.shorten(error);
    return model.getResponse(call.request());
  });
  await call.close(response);
  return response;
}

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
  let isOpen = false;
  const forward = async function* () {
    for await (const event of model.getStreamedResponse(call.request())) {
      isOpen = true;
      if (fieldAt(event, "type") === "response_done") await call.close(fieldAt(event, "response"));
      yield event;
    }
  };
  try {
    yield* forward();
  } catch (error) {
    // What was passed on cannot be taken back.
    if (isOpen) throw error;
    await call.shorten(error);
    yield* forward();
  }
}

/** A call of the model whose items are recorded. */
interface OpenCall {
  /** What is to be sent. */
  request(): AgentsModelRequest;
  /** Makes it shorter after a refusal as too long; throws the error again where it was none, or where nothing shorter is left. */
  shorten(error: unknown): Promise<void>;
  /** Takes notice of what came back. */
  close(response: unknown): Promise<void>;
}

/** Undefined where the request is to be sent as it is. */
async function openCall(request: AgentsModelRequest, options: PalimpsestModelOptions): Promise<OpenCall | undefined> {
  const { onReport, onError = logError } = options;
  const { signal, previousResponseId, conversationId } = request;
  // There the API has the history, and what is sent is only what is new.
  if (previousResponseId !== undefined || conversationId !== undefined) return undefined;
  const attempt = <Value>(operation: () => Promise<Value>) => unlessFailed(operation, { onError, signal });
  const begun = await attempt(() => beginTurn(request, options));
  if (begun === undefined) return undefined;
  const { turns, groups, items } = begun;
  let { turn } = begun;
  return {
    request: () => {
      onReport?.(turn.report);
      return { ...request, input: [...writeItems(turn.places, groups, items)] };
    },
    shorten: async (error) => {
      const refusal = readRefusal(error);
      const shorter = refusal.isTooLong ? await attempt(() => turns.shorten(turn, refusal)) : undefined;
      if (shorter === undefined) throw error;
      turn = shorter;
    },
    close: async (response) => {
      await attempt(() => noteResponse(turns, turn, response));
    },
  };
}

interface BegunTurn {
  readonly turns: SessionTurns;
  readonly turn: Turn;
  readonly groups: readonly ItemGroup[];
  readonly items: readonly object[];
}

/** Undefined for a prompt that is not of the conversation. */
async function beginTurn(request: AgentsModelRequest, options: PalimpsestModelOptions): Promise<BegunTurn | undefined> {
  const { input, systemInstructions = "", tools, handoffs, signal } = request;
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const groups = readItems(items);
  const messages = groups.map(({ message }) => message);
  const session: Session = await sessionOf(options, messages);
  const turns = turnsOf(session);
  const all = [...asArray(tools), ...asArray(handoffs)];
  const turn = await turns.begin({ messages, systemPrompt: systemInstructions, tools: all, signal });
  return turn && { turns, turn, groups, items };
}

async function noteResponse(turns: SessionTurns, turn: Turn, response: unknown): Promise<void> {
  const usage = readUsage(fieldAt(response, "usage"));
  if (usage !== undefined) turns.observe(turn, usage);
  const [reply, ...others] = readItems(asArray(fieldAt(response, "output")).filter(isRecord));
  // A reply of several messages is repeated by the next request, which tells how they belong together.
  if (reply?.message.role === "assistant" && others.length === 0) await turns.record(turn, reply.message);
}

function logError(error: unknown): void {
  console.error(`palimpsest: the items were sent as the SDK had them: ${describeError(error)}`);
}
