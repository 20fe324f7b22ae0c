import { condenseDefaults, findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { createModelHandler } from "./create-model-handler.ts";
import type { ModelHandlerOptions } from "./model-handler-options.ts";

/**
 * A handler for the model that condenses the conversations of the one named: a smaller one of the same provider where the
 * registry knows that it is good enough, else the model itself. Takes what `createModelHandler` takes.
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
  const { id } = handler.getModel();
  const { condenseWith } = condenseDefaults(options.registry?.find(id) ?? findModel(id));
  if (condenseWith.type === "itself") return handler;
  const provider = options.model.slice(0, options.model.length - id.length);
  return createModelHandler({ ...options, model: `${provider}${condenseWith.modelId}` });
}
