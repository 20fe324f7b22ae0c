/** Mastra (`palimpsest/mastra`): a processor that keeps what an agent sends inside the window. */

export type * from "../../engine/engine-types.ts";
export type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
export type { PalimpsestCallbacks } from "../shared/callbacks.ts";
export type { PalimpsestProcessorOptions } from "./options.ts";
export { palimpsestProcessor } from "./palimpsest-processor.ts";
export type {
  MastraContext,
  MastraRefusal,
  MastraRequest,
  MastraResponse,
  MastraStep,
  PalimpsestProcessor,
} from "./types.ts";
