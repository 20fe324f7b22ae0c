/** Gemini CLI's module `tokenCalculation`. Ours never asks a provider. */
import { estimateTokenCountSync } from "../../src/compat/index.ts";

export { estimateTokenCountSync };

export async function calculateRequestTokenCount(request: unknown): Promise<number> {
  return estimateTokenCountSync(typeof request === "string" || Array.isArray(request) ? request : [request]);
}
