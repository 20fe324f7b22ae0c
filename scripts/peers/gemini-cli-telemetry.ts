/** Gemini CLI reports its telemetry here; ours has `Telemetry` of an engine. */
export function logChatCompression(): void {}
