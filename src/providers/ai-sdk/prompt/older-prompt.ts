import type {
  LanguageModelV2FilePart,
  LanguageModelV2Prompt,
  LanguageModelV2ReasoningPart,
  LanguageModelV2TextPart,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

/** The conversation as models of AI SDK 6 take it. */
export function promptV3(prompt: readonly LanguageModelV4Message[]): LanguageModelV3Prompt {
  return prompt.map((message) => {
    if (message.role !== "tool") return spokenMessage(message);
    return {
      role: "tool",
      content: resultsOf(message).map((part) => ({ ...callOf(part), output: outputV3(part.output) })),
    };
  });
}

/** The conversation as models of AI SDK 5 take it. */
export function promptV2(prompt: readonly LanguageModelV4Message[]): LanguageModelV2Prompt {
  return prompt.map((message) => {
    if (message.role !== "tool") return spokenMessage(message);
    return {
      role: "tool",
      content: resultsOf(message).map((part) => ({ ...callOf(part), output: outputV2(part.output) })),
    };
  });
}

type SpokenMessage = Exclude<LanguageModelV4Message, { role: "tool" }>;
type OlderAssistantPart = LanguageModelV2TextPart | LanguageModelV2ReasoningPart | LanguageModelV2ToolCallPart;
type OlderMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: (LanguageModelV2TextPart | LanguageModelV2FilePart)[] }
  | { role: "assistant"; content: OlderAssistantPart[] };

/** Only files have another form in older versions; our requests have nothing that is new in version 4. */
function spokenMessage(message: SpokenMessage): OlderMessage {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "user":
      return {
        role: message.role,
        content: message.content.map((part) =>
          part.type === "file" ? olderFile(part) : { type: part.type, text: part.text },
        ),
      };
    case "assistant":
      return { role: message.role, content: message.content.flatMap(assistantPart) };
  }
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function assistantPart(part: AssistantPart): readonly OlderAssistantPart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text, ...sealsOf(part) }];
    case "tool-call": {
      const { type, toolCallId, toolName, input } = part;
      return [{ type, toolCallId, toolName, input, ...sealsOf(part) }];
    }
    default:
      return [];
  }
}

/** The seals of a part: strings that the provider wants back unchanged, by its name. */
function sealsOf({ providerOptions = {} }: Pick<AssistantPart, "providerOptions">) {
  const seals = Object.entries(providerOptions).map(([provider, fields]) => [
    provider,
    Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  ]);
  return seals.length === 0 ? {} : { providerOptions: Object.fromEntries(seals) };
}

function olderFile({ data, mediaType }: LanguageModelV4FilePart) {
  return { type: "file", mediaType, data: data.type === "url" ? data.url : base64Of(data) } as const;
}

/** The base64 of data that is no URL; our requests have no other data. */
function base64Of(data: LanguageModelV4FilePart["data"]): string {
  return data.type === "data" && typeof data.data === "string" ? data.data : "";
}

function resultsOf(message: Extract<LanguageModelV4Message, { role: "tool" }>) {
  return message.content.filter((part) => part.type === "tool-result");
}

function callOf({ type, toolCallId, toolName }: LanguageModelV4ToolResultPart) {
  return { type, toolCallId, toolName };
}

type Output = LanguageModelV4ToolResultPart["output"];
type OutputV2 = LanguageModelV2ToolResultPart["output"];
type OutputV3 = LanguageModelV3ToolResultPart["output"];
type Item<AnyOutput extends { type: string }> =
  Extract<AnyOutput, { type: "content" }> extends { value: (infer Each)[] } ? Each : never;

function outputV3(output: Output): OutputV3 {
  if (output.type !== "content") return textOutput(output);
  const value = output.value.flatMap((item): Item<OutputV3>[] => {
    if (item.type === "text") return [{ type: item.type, text: item.text }];
    if (item.type !== "file") return [];
    const { data, mediaType } = item;
    if (data.type === "url") return [{ type: "image-url", url: data.url.href }];
    return [{ type: "image-data", data: base64Of(data), mediaType }];
  });
  return { type: output.type, value };
}

function outputV2(output: Output): OutputV2 {
  if (output.type !== "content") return textOutput(output);
  const value = output.value.flatMap((item): Item<OutputV2>[] => {
    if (item.type === "text") return [{ type: item.type, text: item.text }];
    // In version 2, a result cannot have an image by its URL.
    if (item.type !== "file" || item.data.type === "url") return [{ type: "text", text: "[image]" }];
    return [{ type: "media", data: base64Of(item.data), mediaType: item.mediaType }];
  });
  return { type: output.type, value };
}

function textOutput(output: Exclude<Output, { type: "content" }>) {
  const text = output.type === "text" || output.type === "error-text" ? output.value : "";
  return { type: output.type === "error-text" ? output.type : "text", value: text } as const;
}
