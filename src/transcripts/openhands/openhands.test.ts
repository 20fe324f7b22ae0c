import { describe, expect, test } from "vitest";
import { expectSurvival, pairCounts, readDocument, readRecords } from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { openhandsFormat, openhandsOutputFormat } from "./index.ts";

const read = (document: unknown) => readDocument(openhandsFormat, document);

const TIME = "2026-01-02T03:04:05.123456";
const stamp = (id: number) => ({ id, timestamp: TIME });

function metadata(callId: string, calls: readonly string[] = [callId]) {
  const tool_calls = calls.map((id) => ({
    id,
    type: "function",
    function: { name: "bash", arguments: `{"command":"${id}"}` },
  }));
  const message = { role: "assistant", content: "I run.", tool_calls };
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 60 },
    cache_creation_input_tokens: 30,
  };
  const model_response = { id: `resp-${calls[0]}`, model: "model-a", choices: [{ message }], usage };
  return { function_name: "bash", tool_call_id: callId, model_response };
}

const V0 = [
  { ...stamp(0), source: "agent", action: "system", args: { content: "You are an agent.", tools: [] } },
  {
    ...stamp(1),
    source: "environment",
    observation: "agent_state_changed",
    content: "",
    extras: { agent_state: "running" },
  },
  {
    ...stamp(2),
    source: "user",
    action: "message",
    message: "Run both.",
    args: { content: "Run both.", image_urls: ["https://example.invalid/a.png"] },
  },
  { ...stamp(3), source: "user", action: "recall", args: { query: "Run both." } },
  {
    ...stamp(4),
    source: "environment",
    cause: 3,
    observation: "recall",
    content: "Added",
    extras: { repo_instructions: "", microagent_knowledge: [{ name: "git", content: "Use git." }] },
  },
  {
    ...stamp(5),
    source: "agent",
    action: "run",
    args: { command: "c1" },
    tool_call_metadata: metadata("c1", ["c1", "c2"]),
  },
  {
    ...stamp(6),
    source: "agent",
    cause: 5,
    observation: "run",
    content: "one",
    tool_call_metadata: metadata("c1", ["c1", "c2"]),
  },
  {
    ...stamp(7),
    source: "agent",
    action: "run",
    args: { command: "c2" },
    tool_call_metadata: metadata("c2", ["c1", "c2"]),
  },
  {
    ...stamp(8),
    source: "agent",
    cause: 7,
    observation: "error",
    content: "two",
    tool_call_metadata: metadata("c2", ["c1", "c2"]),
  },
  { ...stamp(9), source: "agent", action: "message", args: { content: "Done.", wait_for_response: true } },
  { ...stamp(10), source: "agent", cause: 9, observation: "null", content: "", extras: {} },
];

describe("events of version 0", () => {
  test("of one reply become one message, with its usage counted once", () => {
    const { messages, usages, systemPrompt, modelId } = read(V0);
    expect(messages.map(({ role, id }) => [role, id])).toEqual([
      ["user", "event-2"],
      ["user", "event-4"],
      ["assistant", "resp-c1"],
      ["user", "event-6"],
      ["user", "event-8"],
      ["assistant", "event-9"],
    ]);
    expect(messages[2]?.content).toEqual([
      { type: "text", text: "I run." },
      { type: "tool_use", id: "c1", name: "bash", input: { command: "c1" } },
      { type: "tool_use", id: "c2", name: "bash", input: { command: "c2" } },
    ]);
    expect(messages[4]?.content).toEqual([{ type: "tool_result", tool_use_id: "c2", content: "two", is_error: true }]);
    expect(messages[0]?.content).toHaveLength(2);
    expect(validateView(messages)).toEqual([]);
    expect(usages).toEqual([
      { messageIndex: 2, inputTokens: 10, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 30 },
    ]);
    expect([systemPrompt, modelId]).toEqual(["You are an agent.", "model-a"]);
  });

  test("have times without a zone, which are read as UTC", () => {
    expect(read(V0).messages[0]?.ts).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 123));
  });

  test("without a copy of the reply are calls in the words of their action, answered by cause", () => {
    const { messages } = read([
      { ...stamp(1), source: "user", action: "message", args: { content: "Go." } },
      { ...stamp(2), source: "agent", action: "run", args: { command: "ls", thought: "Look.", blocking: false } },
      { ...stamp(3), source: "agent", cause: 2, observation: "run", content: "a.ts" },
      { ...stamp(4), source: "agent", observation: "error", content: "No such tool." },
      { ...stamp(5), source: "agent", action: "finish", args: { final_thought: "Done.", thought: "Done." } },
    ]);
    expect(messages.slice(1).map(({ content }) => content)).toEqual([
      [
        { type: "text", text: "Look." },
        { type: "tool_use", id: "call-2", name: "run", input: { command: "ls" } },
      ],
      [{ type: "tool_result", tool_use_id: "call-2", content: "a.ts" }],
      [{ type: "text", text: "No such tool." }],
      [{ type: "text", text: "Done." }],
    ]);
  });

  test("of 2024 have no ids: an observation answers the action before it", () => {
    const { messages } = read({
      history: [
        { content: "Fix it.", action: "message" },
        { command: "ls", thought: "Look.", action: "run", is_confirmed: "confirmed" },
        { content: "a.ts", command: "ls", exit_code: 0, observation: "run" },
        { outputs: {}, thought: "Fixed.", action: "finish" },
      ],
    });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(messages[1]?.content).toMatchObject([{ text: "Look." }, { name: "run", input: { command: "ls" } }]);
    expect(validateView(messages)).toEqual([]);
  });

  test("condense, also between a call and its result", () => {
    const { messages, compactions } = read([
      ...V0.slice(0, 6),
      { ...stamp(20), source: "agent", action: "condensation", args: { summary: "So far.", forgotten_event_ids: [1] } },
      ...V0.slice(6),
    ]);
    expect(compactions).toEqual([{ messageIndex: 5, summary: "So far." }]);
    expect(messages[5]?.content).toEqual([{ type: "text", text: "So far." }]);
    expect(validateView(messages)).toEqual([]);
  });
});

const V1 = [
  {
    kind: "SystemPromptEvent",
    id: "e0",
    timestamp: TIME,
    source: "agent",
    system_prompt: { type: "text", text: "You are an agent." },
    tools: [],
  },
  {
    kind: "MessageEvent",
    id: "e1",
    timestamp: TIME,
    source: "user",
    llm_message: { role: "user", content: [{ type: "text", text: "Run both." }] },
    extended_content: [{ type: "text", text: "Use git." }],
  },
  ...["c1", "c2"].map((id) => ({
    kind: "ActionEvent",
    id: `action-${id}`,
    timestamp: TIME,
    source: "agent",
    thought: [{ type: "text", text: "I run." }],
    thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "S" }],
    reasoning_content: "Hm.",
    action: { kind: "ExecuteBashAction", command: id },
    tool_name: "bash",
    tool_call_id: id,
    tool_call: { id, name: "bash", arguments: `{"command":"${id}"}` },
    llm_response_id: "resp-1",
  })),
  {
    kind: "ObservationEvent",
    id: "e4",
    timestamp: TIME,
    source: "environment",
    observation: { kind: "BashObservation", content: [{ type: "text", text: "one" }], is_error: false },
    action_id: "action-c1",
    tool_name: "bash",
    tool_call_id: "c1",
  },
  {
    kind: "AgentErrorEvent",
    id: "e5",
    timestamp: TIME,
    source: "agent",
    error: "two",
    tool_name: "bash",
    tool_call_id: "c2",
  },
  {
    kind: "Condensation",
    id: "e6",
    timestamp: TIME,
    source: "environment",
    forgotten_event_ids: ["e1"],
    summary: "So far.",
  },
  {
    kind: "MessageEvent",
    id: "e7",
    timestamp: TIME,
    source: "agent",
    llm_message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  },
  { kind: "ConversationStateUpdateEvent", id: "e8", timestamp: TIME, key: "x", value: "y" },
];

describe("events of version 1", () => {
  test("become the same messages", () => {
    const { messages, compactions, systemPrompt, problems } = read(V1);
    expect(messages.map(({ content }) => content)).toEqual([
      [
        { type: "text", text: "Run both." },
        { type: "text", text: "Use git." },
      ],
      [
        { type: "reasoning", text: "Hm.", signature: "S" },
        { type: "text", text: "I run." },
        { type: "tool_use", id: "c1", name: "bash", input: { command: "c1" } },
        { type: "tool_use", id: "c2", name: "bash", input: { command: "c2" } },
      ],
      [{ type: "tool_result", tool_use_id: "c1", content: "one" }],
      [{ type: "tool_result", tool_use_id: "c2", content: "two", is_error: true }],
      [{ type: "text", text: "So far." }],
      [{ type: "text", text: "Done." }],
    ]);
    expect(compactions).toEqual([{ messageIndex: 4, summary: "So far." }]);
    expect([systemPrompt, problems]).toEqual(["You are an agent.", []]);
    expect(validateView(messages)).toEqual([]);
  });
});

const STEPS = [
  {
    step: 0,
    user_message: "Build it.",
    agent: { thought: "First.", action: "Running command: ls" },
    environment: "a.ts",
    step_usage: { input_tokens: 9, output_tokens: 2, model: "model-a" },
  },
  {
    step: 1,
    user_message: null,
    agent: { thought: "All done.", action: "Finished." },
    environment: null,
    step_usage: null,
  },
];

describe("trajectories in steps", () => {
  test("become calls and results", () => {
    const { messages, usages, modelId } = read(STEPS);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(pairCounts(messages)).toEqual({ calls: 1, results: 1 });
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 9, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ]);
    expect(modelId).toBe("model-a");
  });
});

describe("output of evaluations", () => {
  const instance = { instance_id: "i1", metadata: { llm_config: { model: "model-z" } }, history: V0.slice(0, 5) };

  test("is one session on each line, of which the first is read", () => {
    const { sessionId, modelId, messages, problems } = readRecords(openhandsOutputFormat, [
      instance,
      { ...instance, instance_id: "i2" },
    ]);
    expect([sessionId, modelId, messages.length]).toEqual(["i1", "model-z", 2]);
    expect(problems).toEqual([{ where: "line 2", reason: "This is another session; it was left out." }]);
  });

  test("may pair actions with observations", () => {
    expect(
      read({
        history: [
          [V0[2], V0[10]],
          [V0[5], V0[6]],
        ],
      }).messages,
    ).toHaveLength(3);
  });

  test("is asked only for what is read", () => {
    expect(openhandsFormat.needs?.([])).toBe(true);
    expect(openhandsFormat.needs?.(["history", 3, "args"])).toBe(true);
    expect(openhandsFormat.needs?.([3, "args"])).toBe(true);
    expect(openhandsFormat.needs?.(["git_patch"])).toBe(false);
  });
});

describe("hostile files", () => {
  test.each([
    ["version 0", V0],
    ["version 1", V1],
    ["steps", STEPS],
  ])("of %s, of any kind, are read", (_, events) => {
    expectSurvival((changed) => openhandsFormat.read(changed), events);
  });

  test("that hold nothing of ours give an empty log and a problem", () => {
    for (const document of [null, 7, "x", [], {}, { history: 3 }, [[[]]]]) {
      expect(openhandsFormat.detect(document)).toBe(false);
      expect(openhandsFormat.read(document)).toMatchObject({
        messages: [],
        problems: [{ reason: expect.any(String) }],
      });
    }
  });

  test("of agents whose messages name an action are not taken for ours", () => {
    expect(openhandsFormat.detect({ history: [{ role: "assistant", content: "x", action: "ls" }] })).toBe(false);
  });
});
