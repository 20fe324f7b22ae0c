/** Prompts as models of the AI SDK take them. */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { roomLog } from "../integrations/thirty-turns.ts";

export const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });

export const assistant = (text: string): LanguageModelV4Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

/** A call of a tool, and what it returned. */
export function step(room: number, output = roomLog(room)): LanguageModelV4Message[] {
  const call = { toolCallId: `call_${room}`, toolName: "read_room" };
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: { room } }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: output } }] },
  ];
}

export function steps(count: number): LanguageModelV4Message[] {
  return Array.from({ length: count }, (_, index) => step(index + 1)).flat();
}
