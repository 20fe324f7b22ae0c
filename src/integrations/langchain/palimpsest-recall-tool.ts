import { assert, assertFunction, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { asName, fieldAt } from "../../core/json/read-json.ts";
import {
  RECALL_TOOL_DESCRIPTION,
  RECALL_TOOL_NAME,
  type RecallInputSchema,
  recallInputSchema,
} from "../../core/recall/tool-definition.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RecallableSession } from "../../engine/recall/answer-recall.ts";
import {
  assertRecallable,
  assertRecallBudget,
  type RecallToolOptions,
  recallTool,
} from "../../engine/recall/recall-tool.ts";
import { sessionIdOf } from "./session-id.ts";

/** The session whose folds are read: `session`, or the session of `engine` whose id is the call's `thread_id`. */
export type PalimpsestRecallToolOptions<Tool> = RecallToolOptions & {
  /** `tool` of the package `langchain`, or of `@langchain/core/tools`. */
  readonly tool: MakeLangChainTool<Tool>;
} & (
    | { readonly session: RecallableSession; readonly engine?: undefined }
    | { readonly engine: Engine; readonly session?: undefined }
  );

/** Makes a LangChain tool of a function and its description. */
export type MakeLangChainTool<Tool> = (
  execute: (input: unknown, config: unknown) => Promise<string>,
  fields: { name: string; description: string; schema: RecallInputSchema },
) => Tool;

/**
 * The `recallTool` of a session for `createAgent`, beside {@link palimpsestMiddleware}: `tools: [palimpsestRecallTool({ engine, tool })]`.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestRecallTool } from "palimpsest/langchain";
 * const tool = (invoke: (input: unknown, config: unknown) => Promise<string>) => ({ invoke }); // stands for that of "langchain"
 * const engine = createEngine({ model: "claude-sonnet-4-5" });
 * const recall = palimpsestRecallTool({ engine, tool }); // createAgent({ model, tools: [recall], middleware })
 * const config = { configurable: { thread_id: "task-42" } };
 * console.log(await recall.invoke({ id: "m7" }, config)); // There is no fold or message "m7". Nothing of this conversation is hidden.
 * ```
 */
export function palimpsestRecallTool<Tool>(options: PalimpsestRecallToolOptions<Tool>): Tool {
  assertObject("options", options);
  const { session, engine, tool, budgetTokens } = options;
  assert(
    (session === undefined) !== (engine === undefined),
    "options",
    options,
    "{ engine, tool } or { session, tool }",
  );
  if (engine !== undefined) assertFunction("options.engine.session", engine?.session);
  assertFunction("options.tool", tool);
  if (session !== undefined) assertRecallable(session);
  assertRecallBudget(budgetTokens);
  const sessionOf = async (config: unknown) =>
    options.session === undefined ? options.engine.session(threadOf(config)) : options.session;
  const execute = async (input: unknown, config: unknown) =>
    recallTool(await sessionOf(config), { budgetTokens }).execute(input);
  return tool(execute, {
    name: RECALL_TOOL_NAME,
    description: RECALL_TOOL_DESCRIPTION,
    schema: recallInputSchema(),
  });
}

/** The id of the session that a call of the tool belongs to: the same as for the middleware. Throws if the call has no thread. */
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
