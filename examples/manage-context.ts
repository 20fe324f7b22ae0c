import OpenAI from "openai";
import {
  countMessagesTokens,
  getEffectiveApiHistory,
  listFolds,
  type Message,
  type ModelHandler,
  restoreMessages,
} from "palimpsest";
import { manageContext, willManageContext } from "palimpsest/compat";
import { startModelServer } from "palimpsest/testing";

// A scripted model on loopback takes the place of a real one, so that this runs offline.
const summary = "The person wants to know why the harbour light blinks twice. Lamps 1 to 5 were read and are in order.";
const server = await startModelServer({ reply: () => ({ type: "text", text: summary }) });
const client = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "any", maxRetries: 0 });

// The agent's own way to ask its model, in the shape that Palimpsest takes.
const apiHandler: ModelHandler = {
  async *createMessage(systemPrompt, messages, call) {
    const system = { role: "system", content: systemPrompt } as const;
    // Requests for summaries are plain text: there are no blocks to translate.
    const turns = messages.map(({ role, content }) => ({ role, content: String(content) }));
    const stream = await client.chat.completions.create(
      { model: "gpt-5-mini", messages: [system, ...turns], stream: true, stream_options: { include_usage: true } },
      { signal: call?.signal ?? null },
    );
    for await (const { choices, usage } of stream) {
      yield { type: "text", text: choices[0]?.delta.content ?? "" };
      if (usage) yield { type: "usage", inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens };
    }
  },
  getModel: () => ({ id: "gpt-5-mini" }),
};

const settings = {
  contextWindow: 32_000,
  maxTokens: 4_000,
  autoCondenseContext: true,
  autoCondenseContextPercent: 75,
  profileThresholds: { thrifty: 50, careful: -1 },
  currentProfileId: "careful",
};

// The agent's loop: before each request the log is managed, then its view is sent.
let log: readonly Message[] = [{ role: "user", content: "Find out why the harbour light blinks twice." }];
for (let lamp = 1; lamp <= 14; lamp++) {
  const output = `lamp ${lamp}: on, off, on, off. `.repeat(300);
  const call: Message = { role: "assistant", content: [{ type: "tool_use", id: `t${lamp}`, name: "read", input: {} }] };
  const result: Message = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `t${lamp}`, content: output }],
  };
  // The prompt without the newest message; an agent knows its size from the usage of the last reply.
  const totalTokens = countMessagesTokens([...getEffectiveApiHistory(log), call]);
  log = [...log, call, result];
  if (!willManageContext({ ...settings, totalTokens, lastMessageTokens: countMessagesTokens([result]) })) continue;

  if (lamp > 10) server.script({ type: "error", status: 500, message: "overloaded" });
  const task = { systemPrompt: "You look after the lights of a harbour.", taskId: "harbour-light" };
  const managed = await manageContext({ ...settings, ...task, messages: log, totalTokens, apiHandler });
  log = managed.messages;
  const after = managed.newContextTokensAfterTruncation ?? managed.newContextTokens;
  console.log(`lamp ${lamp}: ${managed.prevContextTokens} → ${after} tokens, error: ${managed.error ?? "none"}`);
}
await server.close();

for (const { kind, foldId, messages } of listFolds(log)) {
  console.log(`${kind} ${foldId} hides ${messages} messages`);
  log = restoreMessages(log, foldId);
}
console.log(
  `${log.length} messages in the log, all of them visible: ${getEffectiveApiHistory(log).length === log.length}`,
);
