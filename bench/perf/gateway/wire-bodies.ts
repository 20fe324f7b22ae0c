/** The same growing conversation of an agent in the bodies of each API. */
import { textAt } from "./conversations.ts";

/** How one API writes a conversation. */
export interface WireBodies {
  /** The adapter's name. */
  readonly name: string;
  readonly path: string;
  /** The field of the body that holds the list of the conversation. */
  readonly list: string;
  /** The other fields of the body. */
  readonly head: object;
  /** The item of the user's first words. */
  task(text: string): object;
  /** The items of one step: a word of the model with a call, then the call's result. */
  step(step: Step): readonly object[];
}

export interface Step {
  readonly id: string;
  readonly words: string;
  readonly file: string;
  readonly output: string;
}

const SYSTEM = "You are a careful engineer.";
const SCHEMA = { type: "object", properties: { file_path: { type: "string" } } };

export const WIRES: readonly WireBodies[] = [
  {
    name: "anthropic",
    path: "/v1/messages",
    list: "messages",
    head: {
      model: "claude-sonnet-4-5",
      max_tokens: 4_096,
      system: SYSTEM,
      tools: [{ name: "Read", input_schema: SCHEMA }],
    },
    task: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    step: ({ id, words, file, output }) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: words },
          { type: "tool_use", id, name: "Read", input: { file_path: file } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    ],
  },
  {
    name: "openai-chat",
    path: "/v1/chat/completions",
    list: "messages",
    head: { model: "gpt-5.1", tools: [{ type: "function", function: { name: "Read", parameters: SCHEMA } }] },
    task: (text) => ({ role: "user", content: text }),
    step: ({ id, words, file, output }) => [
      {
        role: "assistant",
        content: words,
        tool_calls: [
          { id, type: "function", function: { name: "Read", arguments: JSON.stringify({ file_path: file }) } },
        ],
      },
      { role: "tool", tool_call_id: id, content: output },
    ],
  },
  {
    name: "openai-responses",
    path: "/v1/responses",
    list: "input",
    head: { model: "gpt-5.1", instructions: SYSTEM, tools: [{ type: "function", name: "Read", parameters: SCHEMA }] },
    task: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    step: ({ id, words, file, output }) => [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: words }] },
      { type: "function_call", call_id: id, name: "Read", arguments: JSON.stringify({ file_path: file }) },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  {
    name: "gemini",
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    list: "contents",
    head: {
      systemInstruction: { parts: [{ text: SYSTEM }] },
      tools: [{ functionDeclarations: [{ name: "Read", parameters: SCHEMA }] }],
    },
    task: (text) => ({ role: "user", parts: [{ text }] }),
    step: ({ id, words, file, output }) => [
      { role: "model", parts: [{ text: words }, { functionCall: { id, name: "Read", args: { file_path: file } } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "Read", response: { output } } }] },
    ],
  },
];

/** The step of this number in a conversation. */
export function stepAt(conversation: number, number: number, outputBytes: number): Step {
  return {
    id: `call_${conversation}_${number}_of_the_bench`,
    words: `Part ${number} is next: it may say why the build fails.`,
    file: `src/part-${number % 97}.ts`,
    output: `${conversation}.${number} ${textAt({ conversation, turn: number, bytes: outputBytes })}`,
  };
}
