/** Gemini CLI's files of large tool outputs: ours are written by the `offload` of an engine, and not by the service. */

export const TOOL_OUTPUTS_DIR = "tool-outputs";

export async function saveTruncatedToolOutput(): Promise<void> {}
