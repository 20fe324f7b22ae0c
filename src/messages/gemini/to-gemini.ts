import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { sendableMessages } from "../shared/sendable.ts";
import type { GeminiContent, GeminiPart, GeminiPrompt } from "./gemini-prompt.ts";
import { showBlock } from "./show-block.ts";
import { signCalls } from "./signatures.ts";
import { writePart } from "./write-part.ts";

/**
 * Messages as Google's client takes them: `ai.models.generateContent({ model, ...prompt })`. Only role and content are sent, and nothing that the
 * API refuses.
 *
 * `fromGemini` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; a content that is one string,
 * and texts of a result that are several; reasoning that is not Gemini's; blocks of other providers, which become text; arguments that are no
 * object; images in other formats. Neighbours of one role that share calls and results are one turn, and calls that nobody answered have
 * a response that says so. A call of the newest turn that has no signature gets the one that Gemini documents for calls that it did not make.
 * @example
 * ```ts
 * import { toGemini } from "palimpsest/messages";
 * const prompt = toGemini([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(JSON.stringify(prompt)); // {"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"config":{"systemInstruction":"Be brief."}}
 * ```
 */
export function toGemini(messages: readonly Message[], options?: PromptOptions): GeminiPrompt {
  const system = systemOf(options);
  const arranged = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "start" });
  const names = functionNames(arranged);
  const contents = arranged.map((message): GeminiContent => {
    const parts = blocksOf(message).map((block): GeminiPart => writePart(block, names));
    return { role: message.role === "assistant" ? "model" : "user", parts };
  });
  return { contents: signCalls(contents), ...(system !== undefined && { config: { systemInstruction: system } }) };
}

function functionNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  return new Map(calls.map(({ id, name }) => [id, name]));
}
