import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import type { Transcript } from "../../../core/transcript/transcript.ts";
import { inspectTranscript } from "../inspect-transcript.ts";
import { foldedLog, reportStrata } from "./report-strata.ts";
import { inlineJson, reportHtml, reportMessages, reportStandIns } from "./write-report.ts";

const SOURCE = "export const answer = 42; // the line that matters\n".repeat(60);

function transcript(turns: number, fields: Partial<Transcript> = {}): Transcript {
  const messages = log(
    user("Fix the login."),
    ...Array.from({ length: turns }, (_, turn) => [
      assistant(call(`c${turn}`, "Read", { file_path: `/app/${turn}.ts` })),
      user(result(`c${turn}`, `${turn}\n${SOURCE}`)),
    ]).flat(),
  );
  return { format: "test", messages, compactions: [], usages: [], problems: [], ...fields };
}

function strataOf(session: Transcript, contextWindow = 200_000) {
  const inspection = inspectTranscript(session, { contextWindow });
  const folded = foldedLog(session, inspection);
  return { ...reportStrata(session, inspection, folded), folded, inspection };
}

describe("the strata of a session file", () => {
  test("have a column for each model call, in which everything before it was sent", () => {
    const { messages, requests } = strataOf(transcript(3));
    expect([messages.total, requests.total]).toEqual([7, 3]);
    expect(messages.rows.map(({ runs }) => runs)).toEqual([
      [[0, 2, "sent"]],
      [[1, 2, "sent"]],
      [[1, 2, "sent"]],
      [[2, 2, "sent"]],
      [[2, 2, "sent"]],
      [],
      [],
    ]);
    expect(messages.rows.every(({ nowState }) => nowState === "sent")).toBe(true);
    expect(messages.rows[1]).toMatchObject({ kind: "tool-call", toolName: "Read", role: "assistant" });
  });

  test("what the provider read from its cache was cached", () => {
    const usages = [1, 3, 5].map((messageIndex) => {
      const cacheReadTokens = messageIndex === 5 ? 1_000_000 : 0;
      return { messageIndex, inputTokens: 10, outputTokens: 5, cacheReadTokens, cacheWriteTokens: 0 };
    });
    const { messages } = strataOf(transcript(3, { usages }));
    expect(messages.rows[0]?.runs).toEqual([
      [0, 1, "sent"],
      [2, 2, "cached"],
    ]);
  });

  test("what the agent's own compaction removed is in no call after it", () => {
    const { messages } = strataOf(transcript(4, { compactions: [{ messageIndex: 5 }] }));
    expect(messages.rows[0]?.runs).toEqual([[0, 1, "sent"]]);
    expect(messages.rows[6]?.runs).toEqual([[3, 3, "sent"]]);
  });

  test("the last column shows what a small window would hide, and the stand-ins say what for", () => {
    const { messages, folds, folded } = strataOf(transcript(40), 20_000);
    const states = new Set(messages.rows.map(({ nowState }) => nowState));
    expect(states.has("hidden") || states.has("stand-in")).toBe(true);
    expect(folds.length).toBeGreaterThan(0);
    expect(messages.total).toBe(81);
    const hidden = messages.rows.filter(({ nowState }) => nowState === "hidden");
    const named = new Set(reportStandIns(folded).map(({ foldId }) => foldId));
    for (const { nowFoldId } of hidden) expect(named).toContain(nowFoldId);
  });
});

test("messages can be read: long texts are cut and images are named", () => {
  const source = { type: "base64", media_type: "image/png", data: "A".repeat(50_000) } as const;
  const messages = log(user("x".repeat(30_000)), user({ type: "image", source }));
  const [long, image] = reportMessages({ messages, standIns: [] });
  expect(JSON.stringify(long)).toContain("(10000 characters more are in the session file)");
  expect(image?.content).toEqual([{ type: "image" }]);
});

test("no text ends the script that carries it, and the same value is read from it", () => {
  const hostile = { text: "</script><script>alert(1)</script><!-- \u2028 & <![CDATA[" };
  const inlined = inlineJson(hostile);
  expect(inlined).not.toMatch(/[<>&\u2028]/);
  expect(JSON.parse(inlined)).toEqual(hostile);
});

test("only its own script and style sheet may run", () => {
  const html = reportHtml({ text: "</script>" }, { script: "run();", style: "p{}" });
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(html).toContain(`default-src 'none'; script-src ${hash("run();")}; style-src ${hash("p{}")}`);
  expect(html.match(/<\/script>/g)).toHaveLength(2);
});
