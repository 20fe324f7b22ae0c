import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { styleFor } from "../terminal/output.ts";
import { inspectTranscript } from "./inspect-transcript.ts";
import { renderInspection } from "./render-inspection.ts";

const FILE = "const tide = harbour.level(hour); // metres above the mark\n".repeat(30);

const SESSION: Transcript = {
  format: "claude-code",
  modelId: "claude-sonnet-4-5",
  messages: log(
    user("Why is the tide\x1b[2J wrong?"),
    ...[1, 2, 3].flatMap((turn) => [
      assistant("Reading.", call(`c${turn}`, "Read", { file_path: "src/tide/harbour/level-of-the-water.ts" })),
      user(result(`c${turn}`, FILE)),
    ]),
    assistant("潮の高さが違います。", call("c4", "Bash", { command: "npm test\x1b[2J" })),
  ),
  compactions: [{ messageIndex: 5 }],
  usages: [],
  problems: [{ where: "line 12", reason: "This line is not JSON." }],
};

const PLAIN = styleFor({ write: () => true }, {});

function rendered(transcript: Transcript, columns = 100): string {
  return renderInspection(inspectTranscript(transcript), "session.jsonl", { columns, style: PLAIN });
}

describe("the report of an inspection", () => {
  const report = rendered(SESSION);

  test("shows every part", () => {
    for (const line of [
      /^claude-code · claude-sonnet-4-5 · 8 messages · 4 model calls · 1 compaction$/m,
      /^[\d,]+ tokens in all · [\d,]+ in the context at the end$/m,
      /^ {2}tool results +█{50} +[\d,]+ +\d+ % +3 ×$/m,
      /^ +3 +0 +\d+ +[\d,]+ +\d+ % {2}Read$/m,
      /^ +\d+ +\d+ % {2}result {5}Read src\/tide\/harbour\/level-of-the-water\.ts +m2$/m,
      /^Repeated calls: [\d,]+ tokens could be pointers to a newer copy$/m,
      /^Context at each model call: at most [\d,]+ tokens$/m,
      /^ {2}[▁▂▃▄▅▆▇█]{4}\n {4}▲$/m,
      /^In a window of 200,000\n.*nothing would be folded\.$/m,
      /^ {2}4 tool calls: 3 answered, 1 open\.$/m,
      /^ {2}open: Bash, call c4 in message m7$/m,
      /^ {2}line 12: This line is not JSON\.$/m,
    ]) {
      expect(report).toMatch(line);
    }
  });

  test("holds nothing that steers a terminal", () => {
    expect(report).not.toMatch(/[^\P{Cc}\n]/u);
    expect(report).toContain("Why is the tide␛[2J wrong?");
  });

  test.each([40, 60, 80])("fits %i columns", (columns) => {
    const tables = rendered(SESSION, columns)
      .split("\n")
      .filter((line) => line.startsWith("  ") && !line.includes("tokens are left"));
    for (const line of tables) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 56));
  });

  test("leaves out parts that have nothing to say", () => {
    const empty = rendered({ ...SESSION, messages: [], compactions: [], problems: [] });
    expect(empty).not.toMatch(/by kind|by tool|Biggest|Repeated|model call:/);
    expect(empty).toContain("No tool calls.");
    expect(empty).toContain("Everything in it was read.");
  });
});
