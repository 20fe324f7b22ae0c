import { describe, expect, test } from "vitest";
import { expectSurvival, pairCounts, readRecords } from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { codexFormat } from "./index.ts";

const read = (records: readonly unknown[]) => readRecords(codexFormat, records);

const TIME = "2026-01-02T03:04:05.000Z";
const line = (type: string, payload: object) => ({ timestamp: TIME, type, payload });
const item = (payload: object) => line("response_item", payload);
const said = (role: string, text: string, fields: object = {}) =>
  item({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
    ...fields,
  });
const call = (id: string, args = '{"cmd": "ls"}') =>
  item({ type: "function_call", name: "exec_command", arguments: args, call_id: id });
const output = (id: string, text: unknown = "done") =>
  item({ type: "function_call_output", call_id: id, output: text });
const event = (type: string, fields: object) => line("event_msg", { type, ...fields });
const tokens = (input: number, cached: number, output: number, total: number) =>
  event("token_count", {
    info: {
      last_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
      total_token_usage: { total_tokens: total },
    },
  });

const HEADER = [
  line("session_meta", { id: "s1", cwd: "/work", base_instructions: { text: "You are an agent." } }),
  line("turn_context", { model: "gpt-x", cwd: "/work" }),
];

const TALK = [
  ...HEADER,
  said("developer", "Be careful."),
  said("user", "List the files."),
  event("user_message", { message: "List the files." }),
  item({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "Look." }],
    encrypted_content: "opaque",
    id: "rs_1",
  }),
  event("agent_message", { message: "I look." }),
  said("assistant", "I look.", { phase: "commentary", id: "msg_1" }),
  call("c1"),
  call("c2"),
  output("c1"),
  output("c2"),
  tokens(100, 40, 7, 107),
  said("assistant", "There are two."),
  tokens(150, 100, 9, 266),
];

describe("items", () => {
  test("of one reply become one message, and their repetition on the screen is ignored", () => {
    const { messages } = read(TALK);
    expect(messages.map(({ role, id }) => [role, id])).toEqual([
      ["user", "line-3"],
      ["user", "line-4"],
      ["assistant", "rs_1"],
      ["user", "line-11"],
      ["user", "line-12"],
      ["assistant", "line-14"],
    ]);
    expect(messages[0]).toMatchObject({ sourceRole: "developer", content: [{ type: "text", text: "Be careful." }] });
    expect(messages[2]?.content).toEqual([
      {
        type: "reasoning",
        text: "Look.",
        summary: [{ type: "summary_text", text: "Look." }],
        encrypted_content: "opaque",
        id: "rs_1",
      },
      { type: "text", text: "I look.", phase: "commentary", item_id: "msg_1" },
      { type: "tool_use", id: "c1", name: "exec_command", input: { cmd: "ls" } },
      { type: "tool_use", id: "c2", name: "exec_command", input: { cmd: "ls" } },
    ]);
    expect(validateView(messages)).toEqual([]);
  });

  test("of custom tools keep their text, and broken arguments stay as they are", () => {
    const { messages } = read([
      said("user", "Patch."),
      item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "c1", status: "completed" }),
      call("c2", '{"cmd": "l'),
      item({ type: "custom_tool_call_output", call_id: "c1", output: "ok" }),
      output("c2", { content: "no", success: false }),
    ]);
    expect(messages[1]?.content).toMatchObject([
      { type: "tool_use", input: "*** Begin", item_type: "custom_tool_call", status: "completed" },
      { type: "tool_use", input: '{"cmd": "l' },
    ]);
    expect(messages[3]?.content).toEqual([{ type: "tool_result", tool_use_id: "c2", content: "no", is_error: true }]);
    expect(pairCounts(messages)).toEqual({ calls: 2, results: 2 });
  });

  test("that we do not know are carried, images are images, and snapshots for undo are left out", () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const { messages } = read([
      item({
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }],
      }),
      item(search),
      item({ type: "ghost_snapshot", ghost_commit: { id: "x" } }),
    ]);
    expect(messages).toHaveLength(2);
    expect(messages[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ]);
    expect(messages[1]?.content).toEqual([search]);
  });
});

describe("sessions", () => {
  test("count each request once, without the cached part of its prompt", () => {
    const { usages } = read([...TALK, tokens(150, 100, 9, 266), tokens(0, 0, 0, 300)]);
    expect(usages).toEqual([
      { messageIndex: 2, inputTokens: 60, outputTokens: 7, cacheReadTokens: 40, cacheWriteTokens: 0 },
      { messageIndex: 5, inputTokens: 50, outputTokens: 9, cacheReadTokens: 100, cacheWriteTokens: 0 },
    ]);
  });

  test("know their prompt, folder and model; a second header is of the session that was resumed", () => {
    const transcript = read([...TALK, line("session_meta", { id: "s0", cwd: "/old" })]);
    expect(transcript).toMatchObject({ sessionId: "s1", workingDirectory: "/work", modelId: "gpt-x" });
    expect(transcript.systemPrompt).toBe("You are an agent.");
  });

  test("that only kept what the screen showed of the user have it from there", () => {
    const { messages } = read([
      event("user_message", { message: "Hello.\n" }),
      said("assistant", "Hi."),
      said("user", "Next."),
      event("user_message", { message: "Next." }),
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[0]?.content).toEqual([{ type: "text", text: "Hello.\n" }]);
  });

  test("of 2025 have bare items", () => {
    const records = [
      { id: "s1", timestamp: TIME, instructions: "Be kind." },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] },
    ];
    expect(codexFormat.detect(records)).toBe(true);
    expect(read(records)).toMatchObject({ sessionId: "s1", systemPrompt: "Be kind.", problems: [] });
    expect(read(records).messages).toHaveLength(1);
  });
});

describe("compactions", () => {
  test("start a new context from the replacement, and keep the old messages", () => {
    const sealed = { type: "compaction", id: "cmp_1", encrypted_content: "opaque" };
    const { messages, compactions } = read([
      ...TALK,
      line("compacted", {
        message: "",
        replacement_history: [
          { type: "message", role: "user", content: [{ type: "input_text", text: "List the files." }] },
          sealed,
        ],
      }),
      event("context_compacted", {}),
      said("assistant", "On we go."),
    ]);
    expect(compactions).toEqual([{ messageIndex: 6, tokensBefore: 159 }]);
    expect(messages.slice(6).map(({ id }) => id)).toEqual(["line-16.0", "cmp_1", "line-18"]);
    expect(messages[7]).toMatchObject({ role: "user", content: [sealed] });
  });

  test("of older versions give their summary as the user's", () => {
    const { messages, compactions } = read([...TALK, line("compacted", { message: "We listed files." })]);
    expect(compactions).toEqual([{ messageIndex: 6, summary: "We listed files.", tokensBefore: 159 }]);
    expect(messages.at(-1)).toMatchObject({ role: "user", content: [{ type: "text", text: "We listed files." }] });
  });
});

describe("hostile files", () => {
  test("of any kind are read", () => {
    expectSurvival(read, [
      ...TALK,
      line("compacted", { message: "x", replacement_history: [{ type: "compaction", id: "cmp_1" }] }),
      item({ type: "custom_tool_call_output", call_id: "c9", output: [{ type: "input_image", image_url: "data:" }] }),
    ]);
  });

  test("with ids that repeat keep all their messages", () => {
    const { messages } = read([
      said("user", "a", { id: "x" }),
      said("user", "b", { id: "x" }),
      said("user", "c", { id: "x#2" }),
    ]);
    expect(messages).toHaveLength(3);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
  });

  test("of other agents are not taken for ours", () => {
    expect(codexFormat.detect([{ type: "session_meta" }, { type: "message", id: "x" }, null, 7])).toBe(false);
    expect(codexFormat.detect(HEADER)).toBe(true);
  });
});
