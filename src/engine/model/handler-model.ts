import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";

/** The facts about a handler's model that the handler itself or, failing that, the registry gives. */
export interface KnownModel {
  readonly id: string;
  readonly contextWindow: number;
  /** The longest prompt, in tokens; infinite where only the window limits it. */
  readonly inputLimitTokens: number;
  readonly outputLimitTokens: number;
  /** The model's tokens for one of ours. */
  readonly tokenRatio: number;
}

export function handlerModel(handler: ModelHandler): KnownModel {
  const { id, contextWindow, maxTokens } = describeModel(handler);
  const entry = findModel(id);
  return {
    id,
    contextWindow: contextWindow ?? entry.contextWindow,
    inputLimitTokens: entry.inputLimitTokens ?? Number.POSITIVE_INFINITY,
    outputLimitTokens: maxTokens ?? entry.outputLimitTokens,
    tokenRatio: Math.max(1, entry.tokenRatio ?? 1),
  };
}

interface ModelDescription {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** What the handler says of its model. Where that throws, the id is empty: the handler may work all the same. */
function describeModel(handler: ModelHandler): ModelDescription {
  try {
    const { id, info } = handler.getModel();
    return {
      id: typeof id === "string" ? id : "",
      contextWindow: positive(info?.contextWindow),
      maxTokens: positive(info?.maxTokens),
    };
  } catch {
    return { id: "" };
  }
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Whether a value has the `createMessage` of a handler. False where its fields cannot even be read. */
export function isHandler(value: unknown): value is ModelHandler {
  try {
    return typeof value === "object" && value !== null && typeof Reflect.get(value, "createMessage") === "function";
  } catch {
    return false;
  }
}

/** Why a value is no handler; undefined where it is one. */
export function handlerFault(name: string, value: unknown): string | undefined {
  try {
    assertHandler(name, value);
    return undefined;
  } catch (error) {
    return error instanceof PalimpsestError ? error.message : `${name} cannot be read: ${describeError(error)}`;
  }
}

export function assertHandler(name: string, value: unknown): asserts value is ModelHandler {
  // Most likely the name of a model.
  const isNamed = typeof value === "string";
  assert(!isNamed, name, value, "a handler; createModelHandler of palimpsest/providers makes one of a name");
  assertObject(name, value);
  assertFunction(`${name}.createMessage`, Reflect.get(value, "createMessage"));
  assertFunction(`${name}.getModel`, Reflect.get(value, "getModel"));
}
