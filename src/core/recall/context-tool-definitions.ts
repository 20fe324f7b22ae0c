/** The definitions of the tools by which a model acts on its own context, shared by all ways in which they are offered. */

export interface ToolArgument {
  readonly type: "string" | "boolean";
  readonly description: string;
}

export interface ContextToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, ToolArgument>>;
  readonly required: readonly string[];
}

export const CONTEXT_USAGE_TOOL: ContextToolDefinition = {
  name: "context_usage",
  description: "Says how full the context window of this conversation is, and what is hidden behind which folds.",
  properties: {},
  required: [],
};

export const CONDENSE_TOOL: ContextToolDefinition = {
  name: "condense",
  description:
    "Hides older messages of this conversation behind a summary now, such as when a part of the work is done. Nothing is lost: recall reads it back.",
  properties: {},
  required: [],
};

export const PIN_TOOL: ContextToolDefinition = {
  name: "pin",
  description:
    "Keeps a message of this conversation visible for as long as anything else can be hidden instead. With off, takes that back.",
  properties: {
    message: { type: "string", description: "The id of a message, as recall gives it." },
    off: { type: "boolean", description: "True takes the pin back." },
  },
  required: ["message"],
};
