import type { Upstreams } from "./gateway.ts";

/** Where a gateway listens unless someone says otherwise. */
export const DEFAULT_PORT = 7717;
export const DEFAULT_HOST = "127.0.0.1";

/** Where requests go unless someone says otherwise. OpenAI's names its version, since not every client does. */
export const DEFAULT_UPSTREAMS: Upstreams = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com",
};
