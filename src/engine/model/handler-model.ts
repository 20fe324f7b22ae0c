import { demandFunction, demandObject } from "../../core/demand.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { DEFAULT_RESERVED_TOKENS } from "../../core/tokens/budget.ts";

/** What is known of a handler's model: by the handler itself, else by the registry. */
export interface KnownModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly outputLimitTokens: number;
  /** Tokens that the model makes of one of ours. */
  readonly tokenRatio: number;
}

export function handlerModel(handler: ModelHandler): KnownModel {
  const model = describeModel(handler);
  const id = typeof model?.id === "string" ? model.id : "";
  const known = findModel(id);
  return {
    id,
    contextWindow: positive(model?.info?.contextWindow) ?? known.contextWindow,
    outputLimitTokens: positive(model?.info?.maxTokens) ?? known.outputLimitTokens ?? DEFAULT_RESERVED_TOKENS,
    tokenRatio: Math.max(1, known.tokenRatio ?? 1),
  };
}

/** A handler that cannot even say what it is still may answer. */
function describeModel(handler: ModelHandler): ReturnType<ModelHandler["getModel"]> | undefined {
  try {
    return handler.getModel();
  } catch {
    return undefined;
  }
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Whether this can be asked at all. */
export function isHandler(value: unknown): value is ModelHandler {
  return (
    typeof value === "object" && value !== null && "createMessage" in value && typeof value.createMessage === "function"
  );
}

export function demandHandler(name: string, value: unknown): asserts value is ModelHandler {
  demandObject(name, value);
  demandFunction(`${name}.createMessage`, Reflect.get(value, "createMessage"));
  demandFunction(`${name}.getModel`, Reflect.get(value, "getModel"));
}
