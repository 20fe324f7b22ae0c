import { assertFunction, assertObject } from "../../core/assert.ts";
import type { RecallInputSchema } from "../../core/recall/tool-definition.ts";
import type { RecallableSession } from "../../engine/recall/answer-recall.ts";
import { type RecallToolOptions, recallTool } from "../../engine/recall/recall-tool.ts";

export interface PalimpsestRecallToolOptions<Schema> extends RecallToolOptions {
  readonly session: RecallableSession;
  /** `jsonSchema` of the package `ai`, which marks schemas in the way of its version. */
  readonly jsonSchema: (schema: RecallInputSchema) => Schema;
}

/** A tool of the AI SDK, in versions 5, 6 and 7. */
export interface PalimpsestRecallTool<Schema> {
  description: string;
  inputSchema: Schema;
  execute(input: unknown): Promise<string>;
}

/**
 * The `recallTool` of a session for `generateText`, `streamText` and agents. Name it `recall` among the tools: stand-ins and its own answers refer to
 * it by that name.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestRecallTool } from "palimpsest/ai-sdk";
 * const jsonSchema = (schema: object) => schema; // stands for that of "ai"
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
 * const recall = palimpsestRecallTool({ session, jsonSchema }); // generateText({ model, tools: { recall }, messages })
 * console.log(await recall.execute({ id: "m7" })); // There is no fold or message "m7". Nothing of this conversation is hidden.
 * ```
 */
export function palimpsestRecallTool<Schema>(
  options: PalimpsestRecallToolOptions<Schema>,
): PalimpsestRecallTool<Schema> {
  assertObject("options", options);
  const { session, jsonSchema, ...limits } = options;
  assertFunction("options.jsonSchema", jsonSchema);
  const { description, inputSchema, execute } = recallTool(session, limits);
  return { description, inputSchema: jsonSchema(inputSchema), execute };
}
