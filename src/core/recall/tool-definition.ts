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

export const RECALL_TOOL_DESCRIPTION =
  "Reads back what was said, read or returned earlier in this conversation and is hidden now: summaries and notes such as " +
  '"[… hidden; recall or restore fold clear-1a2b3c]" stand in its place. Pass query to search it, or id to read a fold or a message whole. ' +
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

/** The tool as the official clients of the four APIs take it. */
export interface RecallToolShapes {
  readonly anthropic: { name: string; description: string; input_schema: RecallInputSchema };
  readonly "openai-chat": {
    type: "function";
    function: { name: string; description: string; parameters: RecallInputSchema };
  };
  readonly "openai-responses": {
    type: "function";
    name: string;
    description: string;
    parameters: RecallInputSchema;
    strict: false;
  };
  readonly gemini: { name: string; description: string; parametersJsonSchema: RecallInputSchema };
}

const NAMED = { name: RECALL_TOOL_NAME, description: RECALL_TOOL_DESCRIPTION };

export const RECALL_TOOL_SHAPES: { readonly [Api in keyof RecallToolShapes]: () => RecallToolShapes[Api] } = {
  anthropic: () => ({ ...NAMED, input_schema: recallInputSchema() }),
  "openai-chat": () => ({ type: "function", function: { ...NAMED, parameters: recallInputSchema() } }),
  // Strict is the default there, and demands that every property is required.
  "openai-responses": () => ({ type: "function", ...NAMED, parameters: recallInputSchema(), strict: false }),
  gemini: () => ({ ...NAMED, parametersJsonSchema: recallInputSchema() }),
};
