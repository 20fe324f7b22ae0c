import { assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";

/** What is known of a handler's model: by the handler itself, else by the registry. */
export interface KnownModel {
  readonly id: string;
  readonly contextWindow: number;
  /** The longest prompt; infinite where only the window limits it. */
  readonly inputLimitTokens: number;
  readonly outputLimitTokens: number;
  /** Tokens that the model makes of one of ours. */
  readonly tokenRatio: number;
}

export function handlerModel(handler: ModelHandler): KnownModel {
  const { id, contextWindow, maxTokens } = describeModel(handler);
  const known = findModel(id);
  return {
    id,
    contextWindow: contextWindow ?? known.contextWindow,
    inputLimitTokens: known.inputLimitTokens ?? Number.POSITIVE_INFINITY,
    outputLimitTokens: maxTokens ?? known.outputLimitTokens,
    tokenRatio: Math.max(1, known.tokenRatio ?? 1),
  };
}

interface ModelDescription {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** A handler that cannot even say what it is still may answer. */
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

/** Whether this can be asked at all. Handlers are other people's code: one whose fields cannot even be read cannot. */
export function isHandler(value: unknown): value is ModelHandler {
  try {
    return typeof value === "object" && value !== null && typeof Reflect.get(value, "createMessage") === "function";
  } catch {
    return false;
  }
}

/** Why this is no handler; undefined where it is one. */
export function handlerFault(name: string, value: unknown): string | undefined {
  try {
    assertHandler(name, value);
    return undefined;
  } catch (error) {
    return error instanceof PalimpsestError ? error.message : `${name} cannot be read: ${describeError(error)}`;
  }
}

export function assertHandler(name: string, value: unknown): asserts value is ModelHandler {
  assertObject(name, value);
  assertFunction(`${name}.createMessage`, Reflect.get(value, "createMessage"));
  assertFunction(`${name}.getModel`, Reflect.get(value, "getModel"));
}
