import { describe, expect, test } from "vitest";
import { assistant, call, condense, log, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { inspectTranscript } from "./inspect-transcript.ts";

function transcript(messages: readonly Message[], fields: Partial<Transcript> = {}): Transcript {
  return { format: "test", messages, compactions: [], usages: [], problems: [], ...fields };
}

const SOURCE = "export const answer = 42; // the line that matters\n".repeat(40);
const OTHER = "import { answer } from './a.ts'; // something else\n".repeat(10);

const SESSION = log(
  user("Fix the login."),
  assistant({ type: "reasoning", text: "I should look first." }, call("c1", "Read", { file_path: "/app/src/a.ts" })),
  user(result("c1", SOURCE)),
  assistant(call("c2", "Bash", { command: "cd /app && npm test", description: "Run tests" })),
  user({ ...result("c2", "1 failed"), is_error: true }),
  assistant(
    call("c3", "Read", { file_path: "/app/src/a.ts", limit: 400 }),
    call("c4", "Read", { file_path: "/app/b.ts" }),
  ),
  user(result("c3", SOURCE), result("c4", OTHER)),
  assistant("Done.", call("c5", "Bash", { command: "cd /app && npm test", description: "Again" })),
);

describe("inspecting a session", () => {
  const inspection = inspectTranscript(transcript(SESSION, { workingDirectory: "/app", modelId: "claude-sonnet-4-5" }));

  test("every token is of some kind, and the largest kind comes first", () => {
    expect(inspection.tokens).toBe(countMessagesTokens(SESSION));
    expect(inspection.kinds.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(inspection.tokens);
    expect(inspection.kinds.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(inspection.kinds.map(({ kind, items }) => [kind, items])).toEqual([
      ["tool results", 4],
      ["tool calls", 5],
      ["reasoning", 1],
      ["user text", 1],
      ["assistant text", 1],
    ]);
  });

  test("tools are listed with their calls, errors and sizes", () => {
    expect(inspection.tools).toMatchObject([
      { tool: "Read", calls: 3, errors: 0 },
      { tool: "Bash", calls: 2, errors: 1 },
    ]);
    const ofTools = inspection.tools.reduce((sum, { callTokens, resultTokens }) => sum + callTokens + resultTokens, 0);
    const ofKinds = inspection.kinds.filter(({ kind }) => kind.startsWith("tool"));
    expect(ofTools).toBe(ofKinds.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  test("the biggest items are named by message and call, with paths as the agent's folder has them", () => {
    expect(inspection.biggest.slice(0, 3)).toMatchObject([
      { messageId: "m2", kind: "tool results", what: "Read src/a.ts" },
      { messageId: "m6", kind: "tool results", what: "Read src/a.ts" },
      { messageId: "m6", kind: "tool results", what: "Read b.ts" },
    ]);
    expect(inspectTranscript(transcript(SESSION), { top: 1 }).biggest).toHaveLength(1);
  });

  test("a file that was read twice counts as one call, whichever lines were asked for, and can be deduped", () => {
    const { calls, dedupableTokens } = inspection.repeats;
    expect(calls).toMatchObject([{ what: "Read src/a.ts", times: 2 }]);
    expect(calls[0]?.dedupableTokens).toBe(dedupableTokens);
    expect(dedupableTokens).toBeGreaterThan(0.8 * ((calls[0]?.tokens ?? 0) / 2));
    expect(dedupableTokens).toBeLessThan((calls[0]?.tokens ?? 0) / 2);
  });

  test("calls without a result are named, results without a call counted", () => {
    expect(inspection.pairs).toEqual({
      calls: 5,
      answered: 4,
      open: [{ toolUseId: "c5", tool: "Bash", messageId: "m7" }],
      resultsWithoutCall: 0,
    });
    const orphan = inspectTranscript(transcript(log(user(result("gone", SOURCE)))));
    expect(orphan.pairs.resultsWithoutCall).toBe(1);
    expect(orphan.tools).toMatchObject([{ tool: undefined, calls: 0 }]);
  });

  test("is plain data", () => {
    expect(JSON.parse(JSON.stringify(inspection))).toMatchObject({ modelCalls: 4, messages: 8, problems: [] });
  });
});

describe("growth", () => {
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4_000, cacheWriteTokens: 300 };

  test("counts what stood before each reply, and starts anew after a compaction", () => {
    const { growth, contextTokens } = inspectTranscript(
      transcript(SESSION, {
        compactions: [{ messageIndex: 4, tokensBefore: 9_000 }],
        usages: [{ messageIndex: 3, ...usage }],
      }),
    );
    const size = (start: number, end: number) => countMessagesTokens(SESSION.slice(start, end));
    expect(growth.calls.map(({ tokens }) => tokens)).toEqual([size(0, 1), size(0, 3), size(4, 5), size(4, 7)]);
    expect(growth.calls[1]).toMatchObject({ messageIndex: 3, reportedTokens: 4_310 });
    expect(growth).toMatchObject({ peakTokens: Math.max(size(0, 3), size(4, 7)), reportedPeakTokens: 4_310 });
    expect(growth.compactions).toEqual([{ callIndex: 2, messageIndex: 4, tokensBefore: 9_000 }]);
    expect(contextTokens).toBe(size(4, 8));
  });

  test("a compaction at the very end stands after the last call", () => {
    const { growth, contextTokens } = inspectTranscript(transcript(SESSION, { compactions: [{ messageIndex: 8 }] }));
    expect(growth.compactions).toEqual([{ callIndex: 4, messageIndex: 8 }]);
    expect(contextTokens).toBe(0);
  });

  test("what the agent's own tags hide is not in the context", () => {
    const folded = condense(SESSION, "s1", ["m1", "m2"]);
    const { tokens, contextTokens, kinds } = inspectTranscript(transcript(folded));
    expect(tokens - contextTokens).toBe(countMessagesTokens(SESSION.slice(1, 3)));
    expect(kinds.map(({ kind }) => kind)).toContain("summaries");
  });
});

describe("what would be folded", () => {
  test("nothing where all fits in the model's window", () => {
    const { folding } = inspectTranscript(transcript(SESSION, { modelId: "claude-sonnet-4-5" }));
    expect(folding).toMatchObject({ contextWindow: 200_000, outcome: "unchanged", folds: [] });
    expect(folding).not.toHaveProperty("firstOverCall");
  });

  test("says what and since when in a window that is too small", () => {
    const { folding } = inspectTranscript(transcript(SESSION), { contextWindow: 10_000 });
    expect(folding).toMatchObject({ contextWindow: 10_000, allowedTokens: 808, outcome: "folded", firstOverCall: 4 });
    expect(folding.tokens).toBeLessThanOrEqual(808);
    expect(folding.folds.length).toBeGreaterThan(0);
  });

  test("a system prompt takes its part of the window", () => {
    const systemPrompt = "You are a careful engineer. ".repeat(100);
    const { folding, systemPromptTokens = 0 } = inspectTranscript(transcript(SESSION, { systemPrompt }), {
      contextWindow: 10_000,
    });
    expect(systemPromptTokens).toBeGreaterThan(400);
    expect(folding.allowedTokens).toBe(808 - systemPromptTokens);
  });

  test("a window without room for messages is said to be one", () => {
    expect(inspectTranscript(transcript(SESSION), { contextWindow: 1 }).folding.outcome).toBe("cannot-fit");
  });
});

test("an empty session has nothing in it", () => {
  const inspection = inspectTranscript(transcript([]));
  expect(inspection).toMatchObject({ messages: 0, modelCalls: 0, tokens: 0, kinds: [], tools: [], biggest: [] });
  expect(inspection.growth.calls).toEqual([]);
});

test("blocks that we do not know and images are counted as what they are", () => {
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(10_000) } };
  const { kinds, tokens } = inspectTranscript(
    transcript(log(user(picture), assistant({ type: "search", q: "tides" }))),
  );
  expect(kinds.map(({ kind, tokens: of }) => [kind, of])).toEqual([
    ["images", 100],
    ["other", tokens - 100],
  ]);
});

test("content that is nested deeper than the stack counts as what it is", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(50_000)}"x"${"]".repeat(50_000)}`);
  const messages: readonly Message[] = [
    { role: "user", content: "Look.", ts: 0 },
    { role: "assistant", content: [call("c1", "look", { at: deep })], ts: 1 },
    { role: "user", content: [result("c1", "Seen.")], ts: 2 },
  ];
  const { tokens } = inspectTranscript(transcript(messages));
  expect(tokens).toBeGreaterThan(10_000);
});
