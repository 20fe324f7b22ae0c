/** The texts that a model was shown, taken from session files by a route that shares nothing with the importers. */
import { type Json, parseLines } from "./transcripts.ts";

/** By the name of the format; a file is its text. */
export const RAW_TEXTS: Readonly<Record<string, (file: string) => readonly string[]>> = {
  "claude-code": (file) => parseLines(file).flatMap(claudeCodeTexts),
  codex: (file) => parseLines(file).flatMap(codexTexts),
  "copilot-cli": (file) => parseLines(file).flatMap(copilotTexts),
  pi: (file) => parseLines(file).flatMap(piTexts),
  "gemini-cli": (file) => JSON.parse(file).messages.flatMap(geminiTexts),
  "gemini-cli-jsonl": (file) => lastOfEachId(parseLines(file)).flatMap(geminiTexts),
  opencode: (file) => JSON.parse(file).messages.flatMap(({ parts }: Json) => parts.flatMap(opencodeTexts)),
  "cline-sdk": (file) => (JSON.parse(file).messages ?? []).flatMap(({ content }: Json) => content.flatMap(blockTexts)),
  "swe-agent": (file) => JSON.parse(file).history.flatMap(openAiTexts),
  "mini-swe-agent": (file) => JSON.parse(file).messages.flatMap(openAiTexts),
  openai: (file) => firstList(JSON.parse(file)).flatMap(openAiTexts),
  "openai-jsonl": (file) => [parseLines(file)[0].messages_display.replaceAll(/^(user|assistant|tool): /gm, "")],
  openhands: (file) => eventsOf(JSON.parse(file)).flatMap(openHandsTexts),
  "openhands-output": (file) => eventsOf(parseLines(file)[0]).flatMap(openHandsTexts),
};

const call = (name: string, input: unknown) => `Tool: ${name}\nArguments: ${JSON.stringify(input)}`;
const answer = (id: string, text: unknown) => `Result: ${id}\n${text ?? ""}`;
const texts = (parts: Json): string =>
  typeof parts === "string" ? parts : (parts ?? []).map((part: Json) => part.text ?? "").join("\n");

function claudeCodeTexts({ type, message, attachment }: Json): readonly string[] {
  if (type === "attachment" && !/^(hook_(system|non)|async)/.test(attachment.type)) {
    const { content = attachment.prompt, addedBlocks, addedLines } = attachment;
    const lines = Array.isArray(content) ? content.map((each) => each.text ?? JSON.stringify(each)) : [content];
    return [...lines, ...(addedBlocks ?? addedLines ?? [])].filter((each) => typeof each === "string");
  }
  if (type !== "user" && type !== "assistant") return [];
  return typeof message.content === "string" ? [message.content] : message.content.flatMap(blockTexts);
}

function blockTexts(block: Json): readonly string[] {
  if (block.type === "tool_use") return [call(block.name, block.input)];
  if (block.type === "file") return [block.path, block.content];
  if (block.type !== "tool_result") return [block.text ?? block.thinking ?? ""];
  const items = Array.isArray(block.content) ? block.content : [{ text: block.content }];
  const shown = items.filter((item: Json) => item.type !== "image");
  return [answer(block.tool_use_id, shown.map((item: Json) => item.text ?? JSON.stringify(item)).join("\n"))];
}

function codexTexts({ type, payload }: Json): readonly string[] {
  const items = type === "compacted" ? payload.replacement_history : type === "response_item" ? [payload] : [];
  return items.map((item: Json) => {
    if (item.type === "message") return texts(item.content);
    if (item.type === "reasoning") return texts(item.summary);
    if (item.type.endsWith("_output")) return answer(item.call_id, item.output);
    return call(item.name, item.arguments === undefined ? item.input : JSON.parse(item.arguments));
  });
}

function copilotTexts({ type, data }: Json): readonly string[] {
  switch (type) {
    case "user.message":
      return [data.transformedContent ?? data.content];
    case "system.notification":
      return [data.content];
    case "tool.execution_complete":
      return [answer(data.toolCallId, data.result?.content ?? data.error?.message)];
    case "assistant.message":
      return [
        data.reasoningText ?? "",
        data.content,
        ...data.toolRequests.map((each: Json) => call(each.name, each.arguments)),
      ];
    default:
      return [];
  }
}

function piTexts({ message }: Json): readonly string[] {
  if (message === undefined) return [];
  const said = [message.content ?? []].flat().map((block: Json) => {
    if (block.type === "toolCall") return call(block.name, block.arguments);
    return block.text ?? block.thinking ?? String(block);
  });
  return message.role === "toolResult" ? [answer(message.toolCallId, said.join("\n"))] : said;
}

function lastOfEachId(records: readonly Json[]): readonly Json[] {
  return [...new Map(records.filter(({ id }) => id !== undefined).map((record) => [record.id, record])).values()];
}

function geminiTexts({ type, content, thoughts = [], toolCalls = [] }: Json): readonly string[] {
  if (type !== "user" && type !== "gemini") return [];
  return [
    texts(content),
    ...thoughts.map((each: Json) => `${each.subject}\n\n${each.description}`),
    ...toolCalls.flatMap(({ id, name, args, result }: Json) => {
      const [first] = result ?? [];
      return [call(name, args), answer(id, first?.functionResponse?.response?.output)];
    }),
  ];
}

function opencodeTexts({ type, text, tool, callID, state }: Json): readonly string[] {
  if (type === "text" || type === "reasoning") return [text];
  return type === "tool" ? [call(tool, state.input), answer(callID, state.output ?? state.error)] : [];
}

function firstList(document: Json): readonly Json[] {
  return document[0].traj ?? document;
}

function openAiTexts(message: Json): readonly string[] {
  const { role, content, tool_calls = [] } = message;
  if (role === "system") return [];
  const id = message.tool_call_id ?? message.tool_call_ids?.[0];
  const said = texts(content);
  const reasoning = message.extra?.response?.choices?.[0]?.message?.reasoning_content ?? "";
  const calls = (tool_calls ?? []).map((each: Json) => {
    const { name, arguments: input } = each.function;
    return call(name, typeof input === "string" ? JSON.parse(input) : input);
  });
  return [reasoning, role === "tool" && id !== undefined ? answer(id, said) : said, ...calls];
}

function eventsOf(document: Json): readonly Json[] {
  const events: readonly Json[] = document.history ?? document;
  return events.flat();
}

const OPENHANDS_CALLS = ["run", "run_ipython", "edit", "read"];

function openHandsTexts(event: Json): readonly string[] {
  const { action, observation, args, agent, extras } = event;
  if (agent !== undefined) {
    return [event.user_message ?? "", agent.thought, call("action", agent.action), event.environment ?? ""];
  }
  if (observation === "recall") return extras.microagent_knowledge.map((item: Json) => item.content);
  if (observation !== undefined) {
    return ["null", "agent_state_changed"].includes(observation) ? [] : [answer("toolu_01", event.content)];
  }
  if (action === "message") return [args?.content ?? event.content];
  const message = event.tool_call_metadata?.model_response.choices[0].message;
  if (message !== undefined) {
    const { name, arguments: input } = message.tool_calls[0].function;
    return [message.content ?? "", call(name, JSON.parse(input))];
  }
  const isCall = OPENHANDS_CALLS.includes(action) && event.source !== "user";
  if (!isCall) return [action === "finish" ? (event.thought ?? "") : ""];
  return [event.thought ?? "", call(action, { code: event.code, command: event.command })];
}
