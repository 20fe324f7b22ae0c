/** The APIs that the gateway speaks. A new one is a folder here and a line in this list (docs/adding-an-adapter.md). */

import type { WireAdapter } from "../core/ports/wire-adapter.ts";
import { anthropicAdapter } from "./anthropic/index.ts";
import { geminiAdapter } from "./gemini/index.ts";
import { openaiChatAdapter } from "./openai-chat/index.ts";
import { openaiResponsesAdapter } from "./openai-responses/index.ts";

/**
 * The adapters of the APIs that a gateway speaks by default, in the order in which each may claim a request.
 *
 * @example
 * ```ts
 * import { startGateway, WIRE_ADAPTERS } from "palimpsest/gateway";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const gateway = await startGateway({ store: memoryStore(), port: 0, adapters: WIRE_ADAPTERS });
 * console.log(WIRE_ADAPTERS.map(({ name }) => name).join()); // anthropic,openai-responses,openai-chat,gemini
 * await gateway.close();
 * ```
 */
export const WIRE_ADAPTERS: readonly WireAdapter[] = [
  anthropicAdapter,
  openaiResponsesAdapter,
  openaiChatAdapter,
  geminiAdapter,
];
