/** The APIs that the gateway speaks. A new one is a folder here and a line in this list (docs/adding-an-adapter.md). */

import type { WireAdapter } from "../core/ports/wire-adapter.ts";
import { anthropicAdapter } from "./anthropic/index.ts";
import { geminiAdapter } from "./gemini/index.ts";
import { openaiChatAdapter } from "./openai-chat/index.ts";
import { openaiResponsesAdapter } from "./openai-responses/index.ts";

/**
 * The adapters of the APIs that a gateway speaks by default, in the order in which they are asked about a request.
 *
 * @example
 * await startGateway({ store, adapters: [...WIRE_ADAPTERS, mine] });
 */
export const WIRE_ADAPTERS: readonly WireAdapter[] = [
  anthropicAdapter,
  openaiResponsesAdapter,
  openaiChatAdapter,
  geminiAdapter,
];
