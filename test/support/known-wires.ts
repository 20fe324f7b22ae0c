/** The APIs that the tests speak. */
export type KnownWire = "anthropic" | "openai-chat" | "openai-responses" | "gemini";
