import type { DynamicStructuredTool } from "@langchain/core/tools";
import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { asName, fieldAt } from "../../core/json/read-json.ts";
import type { RecallInputSchema, RecallToolInput } from "../../core/recall/tool-definition.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RecallableSession } from "../../engine/recall/answer-recall.ts";
import { type RecallToolOptions, recallTool } from "../../engine/recall/recall-tool.ts";
import { loadPackage } from "../shared/load-package.ts";
import { sessionIdOf } from "./session-id.ts";

/** Whose folds are read: those of one session, or of that session of an engine whose id is the `thread_id` of the call. */
export type PalimpsestRecallToolOptions = RecallToolOptions &
  (
    | { readonly session: RecallableSession; readonly engine?: undefined }
    | { readonly engine: Engine; readonly session?: undefined }
  );

/** A tool of LangChain's. */
export type PalimpsestRecallTool = DynamicStructuredTool<RecallInputSchema, RecallToolInput, RecallToolInput, string>;

/**
 * The `recallTool` of a session for `createAgent`, beside {@link palimpsestMiddleware}: `tools: [await palimpsestRecallTool({ engine })]`.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestRecallTool } from "palimpsest/langchain";
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
 * const recall = await palimpsestRecallTool({ session }); // createAgent({ model, tools: [recall], middleware })
 * console.log(await recall.invoke({ id: "m7" })); // There is no fold or message "m7". Nothing of this conversation is hidden.
 * ```
 */
export async function palimpsestRecallTool(options: PalimpsestRecallToolOptions): Promise<PalimpsestRecallTool> {
  assertObject("options", options);
  const { session, engine, budgetTokens } = options;
  assert((session === undefined) !== (engine === undefined), "options", options, "{ engine } or { session }");
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  // What a thread's tool does differs in its session alone.
  const { name, description, inputSchema } = recallTool(session ?? NO_SESSION, { budgetTokens });
  const { DynamicStructuredTool: Tool } = await loadPackage("@langchain/core", () => import("@langchain/core/tools"));
  return new Tool<RecallInputSchema, RecallToolInput, RecallToolInput, string>({
    name,
    description,
    schema: inputSchema,
    func: async (input, _, config) => {
      const opened = session ?? (await engine?.session(threadOf(config)));
      return recallTool(opened ?? NO_SESSION, { budgetTokens }).execute(input);
    },
  });
}

/** Stands where a thread names the session later. */
const NO_SESSION: RecallableSession = { recall: async () => [], log: async () => [], folds: async () => [] };

/** The session that a call of the tool belongs to, as for the middleware. */
function threadOf(config: unknown): string {
  const configurable = fieldAt(config, "configurable");
  if (asName(fieldAt(configurable, "thread_id")) === undefined) {
    throw new PalimpsestError(
      "invalid-argument",
      "No session for this call of recall. Pass thread_id in the call's configurable, or session to palimpsestRecallTool.",
    );
  }
  return sessionIdOf({ messages: [], runtime: { configurable: Object(configurable) } });
}
