import { assert, assertFunction } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, type JsonRecord } from "../../core/json/read-json.ts";
import {
  CONDENSE_TOOL,
  CONTEXT_USAGE_TOOL,
  type ContextToolDefinition,
  PIN_TOOL,
  type ToolArgument,
} from "../../core/recall/context-tool-definitions.ts";
import { type ToolShapes, toolShapes } from "../../core/recall/tool-definition.ts";
import { type ActedOnSession, answerCondense, answerPin } from "./answer-actions.ts";
import type { RecallableSession } from "./answer-recall.ts";
import { type RecallToolOptions, recallTool } from "./recall-tool.ts";
import { type MeasuredSession, usageText } from "./usage-text.ts";

// An alias, not an interface: interfaces are not assignable to the clients' types for any JSON object.
export type ContextToolSchema = {
  type: "object";
  properties: Record<string, ToolArgument>;
  required?: string[];
  additionalProperties: false;
};

/** A tool by which a model manages its own context. */
export interface ContextTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: ContextToolSchema;
  /**
   * Answers a call with text for the model. `input` is the call's arguments, as an object or as JSON. A wrong call gets an answer that says so; only
   * a failing store makes it reject.
   */
  execute(input: unknown): Promise<string>;
  /** The tool's definition for an official client; for Gemini, it goes among the function declarations of a tool. */
  as<Api extends keyof ToolShapes<ContextToolSchema>>(api: Api): ToolShapes<ContextToolSchema>[Api];
}

/** The methods of a session that the tools call. */
export type ToolSession = RecallableSession & ActedOnSession & MeasuredSession;

/**
 * The tools by which a model manages its own context: `recall` reads hidden parts back, `context_usage` says how full the window is,
 * `condense` folds finished work, and `pin` keeps a message visible.
 * @example
 * ```ts
 * import { contextTools, createEngine, type Message } from "palimpsest";
 * const messages = Array.from({ length: 40 }, (_, at): Message => ({ id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content: `Lamp ${at} has serial ${at * 7919}. `.repeat(20) }));
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42", { messages });
 * const [, , condense, pin] = contextTools(session);
 * console.log(await pin?.execute({ message: "m3" })); // m3 is pinned: it stays visible.
 * console.log((await condense?.execute({}))?.startsWith("Condensed into fold condense-")); // true
 * ```
 */
export function contextTools(session: ToolSession, options: RecallToolOptions = {}): readonly ContextTool[] {
  const recall = recallTool(session, options);
  for (const method of ["condense", "mark", "view", "snapshot", "events"] as const) {
    assertFunction(`session.${method}`, session[method]);
  }
  return [
    recall,
    contextTool(CONTEXT_USAGE_TOOL, () => usageText(session)),
    contextTool(CONDENSE_TOOL, async () => (await answerCondense(session)).text),
    contextTool(PIN_TOOL, async (input) => (await answerPin(session, input)).text),
  ];
}

function contextTool(definition: ContextToolDefinition, answer: (input: JsonRecord) => Promise<string>): ContextTool {
  const { name, description } = definition;
  const shapes = toolShapes({ name, description }, () => schemaOf(definition));
  return {
    name,
    description,
    inputSchema: schemaOf(definition),
    execute: async (input) => {
      const read = typeof input === "string" ? tryParseJson(input) : input;
      try {
        return await answer(asRecord(read) ?? {});
      } catch (error) {
        if (error instanceof PalimpsestError && error.code === "not-found") return error.message;
        throw error;
      }
    },
    as: (api) => {
      assert(Object.hasOwn(shapes, api), "api", api, Object.keys(shapes).join(", "));
      return shapes[api]();
    },
  };
}

function schemaOf({ properties, required }: ContextToolDefinition): ContextToolSchema {
  // Some providers refuse an empty `required`.
  const demanded = required.length === 0 ? {} : { required: [...required] };
  return { type: "object", properties: { ...properties }, ...demanded, additionalProperties: false };
}
