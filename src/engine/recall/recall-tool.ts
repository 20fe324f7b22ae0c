import { assert, assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { readRecallInput } from "../../core/recall/read-tool-input.ts";
import {
  RECALL_TOOL_DESCRIPTION,
  RECALL_TOOL_NAME,
  RECALL_TOOL_SHAPES,
  type RecallInputSchema,
  type RecallToolShapes,
  recallInputSchema,
} from "../../core/recall/tool-definition.ts";
import { answerRecall, type RecallableSession } from "./answer-recall.ts";

export interface RecallToolOptions {
  /** The most tokens of one answer, at least 300; the answer to a search never has more than 1,500. @default 4_000 */
  readonly budgetTokens?: number | undefined;
}

/** A tool by which a model reads back what folds hide. */
export interface RecallTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: RecallInputSchema;
  /**
   * Answers a call with text for the model. `input` is the call's arguments, as an object or as JSON. A wrong call gets an answer that says so; only
   * a failing store makes it reject.
   */
  execute(input: unknown): Promise<string>;
  /** The tool's definition for an official client; for Gemini, it goes among the function declarations of a tool. */
  as<Api extends keyof RecallToolShapes>(api: Api): RecallToolShapes[Api];
}

const DEFAULT_BUDGET_TOKENS = 4_000;
const LEAST_BUDGET_TOKENS = 300;

/**
 * The recall tool of a session: give its definition to a model, and its calls to `execute`. It searches what folds hide, and reads a fold or a
 * message whole, in pages.
 * @example
 * ```ts
 * import { createEngine, type Message, recallTool } from "palimpsest";
 * const messages = Array.from({ length: 40 }, (_, at): Message => ({ id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content: `Lamp ${at} has serial ${at * 7919}. `.repeat(20) }));
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42", { messages });
 * await session.condense();
 * const tool = recallTool(session);
 * const answer = await tool.execute({ query: "serial of lamp 3" });
 * console.log(tool.as("anthropic").name, answer.includes("Lamp 3 has serial 23757.")); // recall true
 * ```
 */
export function recallTool(session: RecallableSession, options: RecallToolOptions = {}): RecallTool {
  assertRecallable(session);
  assertObject("options", options);
  const { budgetTokens = DEFAULT_BUDGET_TOKENS } = options;
  assertRecallBudget(budgetTokens);
  return {
    name: RECALL_TOOL_NAME,
    description: RECALL_TOOL_DESCRIPTION,
    inputSchema: recallInputSchema(),
    execute: (input) => answerRecall(session, readRecallInput(input), budgetTokens),
    as: (api) => {
      assert(Object.hasOwn(RECALL_TOOL_SHAPES, api), "api", api, Object.keys(RECALL_TOOL_SHAPES).join(", "));
      return RECALL_TOOL_SHAPES[api]();
    },
  };
}

/** Throws "invalid-argument" for an object without the methods of a session. */
export function assertRecallable(session: RecallableSession): void {
  assertObject("session", session);
  for (const method of ["recall", "log", "folds"] as const) assertFunction(`session.${method}`, session[method]);
}

/** Throws "invalid-argument" for a budget that is too small for an answer. */
export function assertRecallBudget(budgetTokens: number | undefined): void {
  if (budgetTokens !== undefined) assertNumber("options.budgetTokens", budgetTokens, LEAST_BUDGET_TOKENS);
}
