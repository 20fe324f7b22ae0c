import { expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { readTranscript } from "../../transcripts/read-transcript.ts";
import { TARGET_FORMATS, writeView } from "./write-view.ts";

const SESSION: Transcript = {
  format: "test",
  sessionId: "s1",
  modelId: "claude-sonnet-4-5",
  systemPrompt: "Be brief.",
  messages: log(
    user("First question."),
    assistant("Gone."),
    user("Fix src/tide.ts."),
    assistant("On it.", call("c1", "Read", { file_path: "src/tide.ts" })),
    user(result("c1", "const tide = 4711;")),
    assistant("Fixed."),
  ),
  compactions: [{ messageIndex: 5 }],
  usages: [{ messageIndex: 5, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }],
  problems: [],
};

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

test.each(TARGET_FORMATS)("%s holds what the view shows, and nothing else", (format) => {
  const { file, messages } = writeView(SESSION, SESSION.messages.slice(2), format);
  for (const shown of ["Fix src/tide.ts.", "On it.", "const tide = 4711;", "Fixed."]) expect(file).toContain(shown);
  expect(file).not.toContain("First question.");
  expect(messages.length).toBeGreaterThanOrEqual(4);
  expect(file.endsWith("\n")).toBe(true);
});

test.each(TARGET_FORMATS.filter((format) => format !== "gemini"))("%s is read back", async (format) => {
  const { file } = writeView(SESSION, SESSION.messages.slice(2), format);
  const transcript = await readTranscript(bytesOf(file));
  expect(transcript.format).toBe(format);
  expect(transcript.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(transcript.compactions).toEqual([]);
});
