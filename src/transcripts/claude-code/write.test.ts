import { describe, expect, test } from "vitest";
import { assistant, call, log, result, tag, user } from "../../../test/support/messages.ts";
import { parseLines, readRecords } from "../../../test/support/transcripts.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { claudeCodeFormat, writeClaudeCode } from "./index.ts";

const TRANSCRIPT: Transcript = {
  format: "claude-code",
  messages: log(
    user("Read it."),
    assistant({ type: "reasoning", text: "Hm.", signature: "S" }, "I will.", call("c1"), call("c2")),
    user(result("c1")),
    user(result("c2")),
    user("The story so far."),
    assistant({ type: "text", text: "Done." }),
  ),
  sessionId: "s1",
  modelId: "claude-x",
  workingDirectory: "/work",
  compactions: [{ messageIndex: 4, summary: "The story so far.", tokensBefore: 9_000 }],
  usages: [{ messageIndex: 1, inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }],
  problems: [],
};

const readAgain = (transcript: Transcript) =>
  readRecords(claudeCodeFormat, parseLines(writeClaudeCode(transcript).join("\n")));

describe("writing a session of Claude Code", () => {
  test("says all that was read", () => {
    expect(readAgain(TRANSCRIPT)).toEqual(TRANSCRIPT);
  });

  test("chains the lines, and starts anew at a compaction", () => {
    const lines = parseLines(writeClaudeCode(TRANSCRIPT).join("\n"));
    expect(lines.map(({ parentUuid }) => parentUuid)).toEqual([null, "m0", "m1", "m2", null, "compaction-4-0", "m4"]);
    expect(lines[4]).toMatchObject({ subtype: "compact_boundary", logicalParentUuid: "m3" });
    expect(lines[5]).toMatchObject({ isCompactSummary: true });
    expect(lines[1]?.message.content[0]).toEqual({ type: "thinking", thinking: "Hm.", signature: "S" });
  });

  test("gives an id and a time to messages that have none", () => {
    const { messages } = readAgain({
      ...TRANSCRIPT,
      messages: [user("one"), assistant("two")],
      compactions: [],
      usages: [],
    });
    expect(messages.map(({ id, ts }) => [id, ts])).toEqual([
      ["message-0", 0],
      ["message-1", 0],
    ]);
  });

  test("keeps a compaction at the very end, and takes any time", () => {
    const odd = { ...TRANSCRIPT, messages: [tag(user("one"), { ts: 1e300 })], usages: [] };
    const { compactions } = readAgain({ ...odd, compactions: [{ messageIndex: 1, tokensBefore: 5 }] });
    expect(compactions).toEqual([{ messageIndex: 1, tokensBefore: 5 }]);
  });
});
