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
import { sweAgentFormat } from "./index.ts";

const call = { index: 1, id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } };

const TRAJECTORY = deepFreeze({
  environment: "main",
  trajectory: [{ action: "ls", observation: "a", state: '{"working_dir": "/testbed"}', query: [{ role: "system" }] }],
  history: [
    { role: "system", content: "Help.", agent: "main" },
    { role: "user", content: "A demonstration", is_demo: true },
    { role: "user", content: [{ type: "text", text: "Fix it" }] },
    { role: "assistant", content: "Listing.", thought: "Listing.", action: "ls", tool_calls: [call] },
    { role: "tool", content: [{ type: "text", text: "a.py" }], tool_call_ids: ["c1"] },
    { role: "assistant", content: "Done.\n```\nsubmit\n```" },
  ],
  info: { exit_status: "submitted" },
  replay_config: '{"agent":{"model":{"name":"claude-3-7-sonnet"}},"problem_statement":{"id":"p1"}}',
});

describe("SWE-agent's trajectories", () => {
  test("the history is the conversation; calls are paired by the list of ids on their result", () => {
    const { messages, usages: _, ...fields } = readAs(sweAgentFormat, TRAJECTORY);
    expect(messages).toEqual([
      { role: "user", content: "A demonstration" },
      { role: "user", content: [{ type: "text", text: "Fix it" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Listing." },
          { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a.py" }] }],
      },
      { role: "assistant", content: "Done.\n```\nsubmit\n```" },
    ]);
    expect(fields).toEqual({
      format: "swe-agent",
      sessionId: "p1",
      systemPrompt: "Help.",
      modelId: "claude-3-7-sonnet",
      workingDirectory: "/testbed",
      compactions: [],
      problems: [],
    });
  });

  test("needs no prompt of a step: they are the whole history again and again", () => {
    const needs = sweAgentFormat.needs ?? (() => true);
    const fields = ["query", "messages", "observation", "response", "action", "state"];
    expect(fields.filter((field) => needs(["trajectory", 3, field]))).toEqual(["action", "state"]);
    expect([[], ["trajectory"], ["trajectory", 0], ["history", 0, "content"]].every((path) => needs(path))).toBe(true);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    expect(faultsOfBroken(sweAgentFormat, TRAJECTORY)).toEqual([]);
  });
});

test("trajectories of real agents: whole pairs, all tokens", ({ skip }) => {
  const files = realTranscripts("swe-agent");
  if (files.length === 0) skip();
  for (const file of files) {
    const document = documentOf(file);
    expect(detects(sweAgentFormat, document)).toBe(true);
    const { tokens, viewProblems, ...measured } = measure(readAs(sweAgentFormat, document));
    const history = [fieldAt(document, "history")].flat();
    const ofRole = (role: string) => history.filter((record) => fieldAt(record, "role") === role);
    const calls = history.flatMap((record) => fieldAt(record, "tool_calls") ?? []);
    expect(measured, file).toEqual({
      users: ofRole("user").length + ofRole("tool").length,
      assistants: ofRole("assistant").length,
      calls: calls.length,
      openCalls: 0,
      faults: [],
    });
    // Replayed demonstrations use some ids again.
    expect(viewProblems.filter((code) => code !== "duplicate-call-id")).toEqual([]);
    const expected = countTexts([
      ...history
        .filter((record) => fieldAt(record, "role") !== "system")
        .map((record) => fieldAt(record, "content", 0, "text") ?? fieldAt(record, "content")),
      ...calls.flatMap((each) => [fieldAt(each, "id"), fieldAt(each, "function")]),
    ]);
    expect(tokens / expected, file).toBeGreaterThan(0.97);
    expect(tokens / expected, file).toBeLessThan(1.05);
  }
});
