/** The definition of the recall tool, shared by all ways in which it is offered to a model. */

/** The arguments of the tool: a search by `query`, or by `id` a message or fold to be read whole. */
export interface RecallToolInput {
  readonly query?: string | undefined;
  readonly id?: string | undefined;
  readonly from?: string | undefined;
}

// An alias, not an interface: only an alias can be passed where clients take any JSON object.
export type RecallInputSchema = {
  type: "object";
  properties: Record<keyof RecallToolInput, { type: "string"; description: string }>;
  additionalProperties: false;
};

export const RECALL_TOOL_NAME = "recall";

/** Replaces a call of the recall tool that gets no answer in a reply. */
export const UNANSWERED_CALL = "[A call of recall was not answered. Say how to go on.]";

export const RECALL_TOOL_DESCRIPTION =
  "Reads back what was said, read or returned earlier in this conversation and is hidden now: summaries and notes such as " +
  '"[… hidden in fold clear-1a2b3c]" stand in its place. Pass query to search it, or id to read a fold or a message whole. ' +
  "Answers are word for word. Use it before you read a file or run a command again only to see what you have seen already.";

/** The schema of the tool's arguments; a new object for each caller, as clients may change it. */
export function recallInputSchema(): RecallInputSchema {
  return {
    type: "object",
    properties: {
      query: {
        type: "string",
        description: 'Names and words that the excerpts should hold, such as "parseDate time zone error".',
      },
      id: {
        type: "string",
        description: 'A fold id or a message id, such as "clear-1a2b3c" or "m12": all of it is given, page by page.',
      },
      from: { type: "string", description: "With id: where the next page begins, as the page before says." },
    },
    additionalProperties: false,
  };
}

/** A tool definition in the form of each of the four APIs' official clients. */
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

/** The forms of one tool definition; `schema` must return a new object for each call. */
export function toolShapes<Schema>(
  named: { readonly name: string; readonly description: string },
  schema: () => Schema,
): { readonly [Api in keyof ToolShapes<Schema>]: () => ToolShapes<Schema>[Api] } {
  return {
    anthropic: () => ({ ...named, input_schema: schema() }),
    "openai-chat": () => ({ type: "function", function: { ...named, parameters: schema() } }),
    // Strict is the default of this API, and demands that every property is required.
    "openai-responses": () => ({ type: "function", ...named, parameters: schema(), strict: false }),
    gemini: () => ({ ...named, parametersJsonSchema: schema() }),
  };
}

export const RECALL_TOOL_SHAPES = toolShapes(
  { name: RECALL_TOOL_NAME, description: RECALL_TOOL_DESCRIPTION },
  recallInputSchema,
);
