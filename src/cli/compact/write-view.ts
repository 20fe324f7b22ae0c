import { tryParseJson } from "../../core/json/parse-json.ts";
import type { Message } from "../../core/message/message.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { writeAnthropic } from "../../transcripts/anthropic/write.ts";
import { writeClaudeCode } from "../../transcripts/claude-code/write.ts";
import { writeCodex } from "../../transcripts/codex/write.ts";
import { writeGemini } from "../../transcripts/gemini/write.ts";
import { writeOpenAi } from "../../transcripts/openai/write.ts";
import { writeRoo } from "../../transcripts/roo/write.ts";

/** Formats that a view can be written in. */
export const TARGET_FORMATS = ["anthropic", "claude-code", "codex", "gemini", "openai", "roo"] as const;

export type TargetFormat = (typeof TARGET_FORMATS)[number];

/** A view in the format of an agent or a provider. */
export interface WrittenView {
  /** The messages, turns or records of the format. */
  readonly messages: readonly unknown[];
  /** The content of a file. */
  readonly file: string;
}

/** Writes a view. Usages and compactions are left out, as they are about messages that the view may not have. */
export function writeView(transcript: Transcript, view: readonly Message[], format: TargetFormat): WrittenView {
  return WRITERS[format]({ ...transcript, messages: view, usages: [], compactions: [] });
}

const WRITERS: Readonly<Record<TargetFormat, (visible: Transcript) => WrittenView>> = {
  anthropic(visible) {
    const conversation = writeAnthropic(visible);
    return { messages: conversation.messages, file: documentOf(conversation) };
  },
  "claude-code": (visible) => linesOf(writeClaudeCode(visible)),
  codex: (visible) => linesOf(writeCodex(visible)),
  gemini(visible) {
    const conversation = writeGemini(visible);
    return { messages: conversation.contents, file: documentOf(conversation) };
  },
  openai(visible) {
    const messages = writeOpenAi(visible);
    return { messages, file: documentOf(messages) };
  },
  roo(visible) {
    const messages = writeRoo(visible);
    return { messages, file: documentOf(messages) };
  },
};

function documentOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function linesOf(lines: readonly string[]): WrittenView {
  return { messages: lines.map(tryParseJson), file: lines.map((line) => `${line}\n`).join("") };
}
