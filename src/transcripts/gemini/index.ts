import { asArray, asName, asRecord, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readGeminiParts } from "../../core/transcript/gemini-session-parts.ts";
import type { DocumentFormat, TranscriptProblem } from "../../core/transcript/transcript.ts";
import { stamped } from "../../core/transcript/transcript-draft.ts";

export { writeGemini } from "./write.ts";

/** A conversation in the form of Gemini's API: the `contents` of a request, or that list alone. Its messages have no ids and no times. */
export const geminiFormat: DocumentFormat = {
  type: "document",
  name: "gemini",
  detect: (document) => contentsOf(document).slice(0, 1).some(isTurn),
  read(document) {
    const problems: TranscriptProblem[] = [];
    const nameCalls = createCallNames();
    const messages = contentsOf(document).flatMap((turn, index): readonly Message[] => {
      const where = `contents[${index}]`;
      const blocks = isTurn(turn) ? readGeminiParts(asArray(fieldAt(turn, "parts")).map(nameCalls), where) : [];
      if (blocks.length === 0) problems.push({ where, reason: "This is no turn with a role and parts." });
      return blocks.length === 0 ? [] : [stamped(roleOf(turn), plain(blocks), { id: undefined, ts: undefined })];
    });
    return assembleTranscript(
      messages.map((message) => ({ type: "message", message })),
      { format: "gemini", problems, systemPrompt: systemText(document), modelId: asName(fieldAt(document, "model")) },
    );
  },
};

function contentsOf(document: unknown): readonly unknown[] {
  return Array.isArray(document) ? document : asArray(fieldAt(document, "contents"));
}

// A request may leave out the role if only the user speaks.
const ROLES: ReadonlySet<unknown> = new Set(["user", "model", "function", undefined]);

/** Whether a value is a turn of Gemini's. Other agents also have `parts`, but with a `type`. */
function isTurn(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.parts) || !ROLES.has(value.role)) return false;
  return fieldAt(value.parts, 0, "type") === undefined;
}

function roleOf(turn: unknown): Message["role"] {
  return fieldAt(turn, "role") === "model" ? "assistant" : "user";
}

/** The blocks as a message's content: a single text becomes a string, as in other formats. */
function plain(blocks: readonly Block[]): Message["content"] {
  const [first] = blocks;
  const isText = first?.type === "text" && Object.keys(first).length === 2 && blocks.length === 1;
  return isText ? (asText(fieldAt(first, "text")) ?? blocks) : blocks;
}

function systemText(document: unknown): string | undefined {
  const instruction = fieldAt(document, "systemInstruction") ?? fieldAt(document, "system_instruction");
  if (typeof instruction === "string") return instruction;
  const texts = asArray(fieldAt(instruction, "parts")).map((part) => asText(fieldAt(part, "text")) ?? "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** Returns a function that gives ids to calls without one, and to responses without one the id of the oldest open call of their function. */
function createCallNames(): (part: unknown) => unknown {
  const openIds = new Map<unknown, string[]>();
  let count = 0;
  return (part) => {
    const call = asRecord(fieldAt(part, "functionCall"));
    const response = asRecord(fieldAt(part, "functionResponse"));
    if (isRecord(part) && call !== undefined) {
      const id = asName(call.id) ?? `call-${count++}`;
      openIds.set(call.name, [...(openIds.get(call.name) ?? []), id]);
      return { ...part, functionCall: { ...call, id } };
    }
    if (!isRecord(part) || response === undefined) return part;
    const open = openIds.get(response.name) ?? [];
    const id = asName(response.id) ?? open[0];
    openIds.set(
      response.name,
      open.filter((openId) => openId !== id),
    );
    return id === undefined ? part : { ...part, functionResponse: { ...response, id } };
  };
}
