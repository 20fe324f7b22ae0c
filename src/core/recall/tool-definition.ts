/** What a model is told of the recall tool, once for all the ways that lead to it. */

/** What a model may ask for: a search, or the whole of what an id names. */
export interface RecallToolInput {
  readonly query?: string | undefined;
  readonly id?: string | undefined;
  readonly from?: string | undefined;
}

// An alias, not an interface: only an alias can be passed where clients want any object of JSON.
export type RecallInputSchema = {
  type: "object";
  properties: Record<keyof RecallToolInput, { type: "string"; description: string }>;
  additionalProperties: false;
};

export const RECALL_TOOL_NAME = "recall";

/** What stands in a reply in place of a call of the recall tool that gets no answer. */
export const UNANSWERED_CALL = "[A call of recall was not answered. Say how to go on.]";

export const RECALL_TOOL_DESCRIPTION =
  "Reads back what was said, read or returned earlier in this conversation and is hidden now: summaries and notes such as " +
  '"[… hidden in fold clear-1a2b3c]" stand in its place. Pass query to search it, or id to read a fold or a message whole. ' +
  "Answers are word for word. Use it before you read a file or run a command again only to see what you have seen already.";

/** A fresh one for each caller: clients may change what they are given. */
export function recallInputSchema(): RecallInputSchema {
  return {
    type: "object",
    properties: {
      query: { type: "string", description: "Names and words that the excerpts should hold." },
      id: { type: "string", description: "A fold id or a message id: all of it is given, page by page." },
      from: { type: "string", description: "With id: where the next page begins, as the page before says." },
    },
    additionalProperties: false,
  };
}

/** A tool as the official clients of the four APIs take it. */
export interface ToolShapes<Schema> {
  readonly anthropic: { name: string; description: string; input_schema: Schema };
  readonly "openai-chat": {
    type: "function";
    function: { name: string; description: string; parameters: Schema };
  };
  readonly "openai-responses": {
    type: "function";
    name: string;
    description: string;
    parameters: Schema;
    strict: false;
  };
  readonly gemini: { name: string; description: string; parametersJsonSchema: Schema };
}

export type RecallToolShapes = ToolShapes<RecallInputSchema>;

/** The shapes of one tool; each call of `schema` gives a fresh one. */
export function toolShapes<Schema>(
  named: { readonly name: string; readonly description: string },
  schema: () => Schema,
): { readonly [Api in keyof ToolShapes<Schema>]: () => ToolShapes<Schema>[Api] } {
  return {
    anthropic: () => ({ ...named, input_schema: schema() }),
    "openai-chat": () => ({ type: "function", function: { ...named, parameters: schema() } }),
    // Strict is the default there, and demands that every property is required.
    "openai-responses": () => ({ type: "function", ...named, parameters: schema(), strict: false }),
    gemini: () => ({ ...named, parametersJsonSchema: schema() }),
  };
}

export const RECALL_TOOL_SHAPES = toolShapes(
  { name: RECALL_TOOL_NAME, description: RECALL_TOOL_DESCRIPTION },
  recallInputSchema,
);
