import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  documentOf,
  faultsOfBroken,
  measure,
  readAs,
} from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { miniSweAgentFormat } from "./index.ts";

const TRAJECTORY = deepFreeze({
  info: { mini_version: "1.15.0", config: { model: { model_name: "gemini-3-pro" }, environment: { cwd: "/testbed" } } },
  messages: [
    { role: "system", content: "Help." },
    { role: "user", content: "Fix it" },
    {
      role: "assistant",
      content: "THOUGHT: look\n```bash\nls\n```",
      extra: {
        response: {
          id: "gen-1",
          created: 1_763_510_033,
          choices: [
            {
              message: {
                role: "assistant",
                content: "same",
                reasoning: "hm",
                reasoning_details: [{ type: "reasoning.encrypted", data: "x" }],
              },
            },
          ],
          usage: { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 40 } },
        },
      },
    },
    { role: "user", content: "<returncode>0</returncode>" },
  ],
  trajectory_format: "mini-swe-agent-1",
  instance_id: "sympy-1",
});

describe("mini-swe-agent's trajectories", () => {
  test("the raw response adds reasoning, id, time and usage to the text", () => {
    const { messages, usages, ...fields } = readAs(miniSweAgentFormat, TRAJECTORY);
    expect(messages[1]).toEqual({
      role: "assistant",
      id: "gen-1",
      ts: 1_763_510_033_000,
      content: [
        { type: "reasoning", text: "hm", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] },
        { type: "text", text: "THOUGHT: look\n```bash\nls\n```" },
      ],
    });
    expect(messages[2]).toEqual({ role: "user", content: "<returncode>0</returncode>" });
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 60, outputTokens: 9, cacheReadTokens: 40, cacheWriteTokens: 0 },
    ]);
    expect(fields).toMatchObject({
      sessionId: "sympy-1",
      modelId: "gemini-3-pro",
      systemPrompt: "Help.",
      workingDirectory: "/testbed",
    });
  });

  test("is known by what comes first as well as by the name at the end", () => {
    const { info } = TRAJECTORY;
    expect(detects(miniSweAgentFormat, { info, messages: [] })).toBe(true);
    expect(detects(miniSweAgentFormat, { trajectory_format: "mini-swe-agent-1" })).toBe(true);
    expect(detects(miniSweAgentFormat, { info: {}, messages: [] })).toBe(false);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    expect(faultsOfBroken(miniSweAgentFormat, TRAJECTORY)).toEqual([]);
  });
});

test("trajectories of real agents: valid views, all tokens", ({ skip }) => {
  const files = realTranscripts("mini-swe-agent").filter((file) => !Array.isArray(documentOf(file)));
  if (files.length === 0) skip();
  for (const file of files) {
    const document = documentOf(file);
    expect(detects(miniSweAgentFormat, document)).toBe(true);
    const transcript = readAs(miniSweAgentFormat, document);
    const { tokens, assistants, viewProblems, faults } = measure(transcript);
    const records = [fieldAt(document, "messages")].flat();
    const replies = records.filter((record) => fieldAt(record, "role") === "assistant");
    expect({ assistants, viewProblems, faults }, file).toEqual({
      assistants: replies.length,
      viewProblems: [],
      faults: [],
    });
    expect(transcript.usages).toHaveLength(replies.length);
    expect(transcript.messages).toHaveLength(records.length - 1);
    const expected = countTexts(records.slice(1).map((record) => fieldAt(record, "content")));
    expect(tokens / expected, file).toBeGreaterThan(0.999);
    expect(tokens / expected, file).toBeLessThan(1.05);
  }
});
