export { createCondensingHandler } from "./create-condensing-handler.ts";
export { createModelHandler } from "./create-model-handler.ts";
export { ModelError } from "./model-error.ts";
export type { ModelHandlerOptions } from "./model-handler-options.ts";
