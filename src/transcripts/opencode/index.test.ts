import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  documentOf,
  faultsOfBroken,
  measure,
  readAs,
} from "../../../test/support/format-checks.ts";
import { deepFreeze, ids } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { opencodeFormat } from "./index.ts";

const tool = (callID: string, state: object) => ({ type: "tool", tool: "read", callID, state, id: `p-${callID}` });
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const tokens = { input: 100, output: 10, reasoning: 5, cache: { read: 60, write: 7 } };
const user = (id: string, ...parts: object[]) => ({ info: { role: "user", id, time: { created: 1_000 } }, parts });
const reply = (id: string, info: object, ...parts: object[]) => ({
  info: { role: "assistant", id, modelID: "gpt-5.4", time: { created: 2_000, completed: 3_000 }, ...info },
  parts,
});
const session = (...messages: object[]) =>
  deepFreeze({ info: { id: "ses_1", projectID: "p", directory: "/work" }, messages });

const read = (...messages: object[]) => readAs(opencodeFormat, session(...messages));

describe("opencode's exports", () => {
  test("a part that is a call and its result becomes both, in messages of their own", () => {
    const { messages, usages, ...fields } = read(
      user("m1", text("go")),
      reply(
        "m2",
        { tokens },
        { type: "step-start" },
        { type: "reasoning", text: "", metadata: { openai: { itemId: "sig" } } },
        tool("c1", {
          status: "completed",
          input: { filePath: "a" },
          output: "A",
          metadata: { preview: "A" },
          time: { end: 2_500 },
        }),
        tool("c2", { status: "error", input: {}, error: "No such file" }),
        tool("c3", { status: "running", input: { x: 1 } }),
        { type: "patch", hash: "h", files: [] },
        { type: "step-finish", tokens },
      ),
    );
    expect(ids(messages)).toEqual(["m1", "m2", "m2/results"]);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "", metadata: { openai: { itemId: "sig" } } },
      { type: "tool_use", id: "c1", name: "read", input: { filePath: "a" } },
      { type: "tool_use", id: "c2", name: "read", input: {} },
      { type: "tool_use", id: "c3", name: "read", input: { x: 1 } },
    ]);
    expect(messages[2]).toEqual({
      role: "user",
      id: "m2/results",
      ts: 2_500,
      content: [
        { type: "tool_result", tool_use_id: "c1", content: "A" },
        { type: "tool_result", tool_use_id: "c2", content: "No such file", is_error: true },
      ],
    });
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 100, outputTokens: 15, cacheReadTokens: 60, cacheWriteTokens: 7 },
    ]);
    expect(fields).toMatchObject({ sessionId: "ses_1", modelId: "gpt-5.4", workingDirectory: "/work" });
  });

  test("a message that holds several requests becomes as many replies, each with its results", () => {
    const done = { status: "completed", input: {}, output: "ok" };
    const step = [{ type: "step-start" }, tool("c1", done), { type: "step-finish", tokens }];
    const last = [{ type: "step-start" }, text("Done."), { type: "step-finish", tokens }];
    const { messages, usages } = read(user("m1", text("go")), reply("m2", { tokens }, ...step, ...last));
    expect(ids(messages)).toEqual(["m1", "m2", "m2/results", "m2/2"]);
    expect(usages.map(({ messageIndex }) => messageIndex)).toEqual([1, 3]);
  });

  test("the usage of the whole message counts where its steps have none", () => {
    expect(read(user("m1", text("go")), reply("m2", { tokens }, text("Hi."))).usages).toHaveLength(1);
  });

  test("a compaction starts where the user's message asks for it, and has the reply as its summary", () => {
    const { messages, compactions } = read(
      user("m1", text("go")),
      reply("m2", {}, text("Working.")),
      user("m3", { type: "compaction", auto: true, id: "p", sessionID: "s", messageID: "m3" }),
      reply("m4", { summary: true, mode: "compaction" }, text("We did this.")),
    );
    expect(compactions).toEqual([{ messageIndex: 2, summary: "We did this." }]);
    expect(messages).toHaveLength(4);
    expect(messages[2]?.content).toEqual([{ type: "compaction", auto: true }]);
    const older = read(
      user("m1", text("go")),
      reply("m2", { summary: true }, text("So far.")),
      reply("m3", {}, text("On.")),
    );
    expect(older.compactions).toEqual([{ messageIndex: 1, summary: "So far." }]);
  });

  test("images are images; text that the model never got is left out", () => {
    const { messages } = read(
      user(
        "m1",
        text("look"),
        text("for the person", { ignored: true }),
        { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" },
        { type: "file", mime: "text/plain", url: "file:///a.ts" },
        { type: "file", mime: "application/pdf", url: "file:///a.pdf" },
      ),
    );
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "file", mime: "application/pdf", url: "file:///a.pdf" },
    ]);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    const part = tool("c1", {
      status: "completed",
      input: {},
      output: "A",
      attachments: [{ mime: "image/png", url: "http://x" }],
    });
    const parts = [{ type: "step-start" }, { type: "reasoning", text: "hm" }, part, { type: "step-finish", tokens }];
    const document = session(
      user("m1", text("go"), { type: "compaction" }),
      reply("m2", { tokens, summary: true }, ...parts),
    );
    expect(faultsOfBroken(opencodeFormat, document)).toEqual([]);
  });

  test("needs neither diffs nor previews", () => {
    const needs = opencodeFormat.needs ?? (() => true);
    expect(needs(["messages", 0, "info", "summary", "diffs"])).toBe(false);
    expect(needs(["messages", 0, "parts", 1, "state", "metadata"])).toBe(false);
    expect(needs(["messages", 0, "parts", 1, "metadata"])).toBe(true);
  });
});

test("sessions of real agents: whole pairs, valid views, all tokens", ({ skip }) => {
  const files = realTranscripts("opencode");
  if (files.length === 0) skip();
  for (const file of files) {
    const document = documentOf(file);
    expect(detects(opencodeFormat, document)).toBe(true);
    const messages = [fieldAt(document, "messages")].flat();
    const parts = messages.flatMap((message) => fieldAt(message, "parts") ?? []);
    const calls = parts.filter((part) => fieldAt(part, "type") === "tool");
    const { tokens: counted, users: _, ...measured } = measure(readAs(opencodeFormat, document));
    const replies = messages.filter((message) => fieldAt(message, "info", "role") === "assistant");
    expect(measured, file).toEqual({
      assistants: replies.length,
      calls: calls.length,
      openCalls: 0,
      viewProblems: [],
      faults: [],
    });
    const expected = countTexts([
      ...parts.flatMap((part) =>
        ["text", "reasoning"].includes(String(fieldAt(part, "type"))) ? [fieldAt(part, "text")] : [],
      ),
      ...calls.flatMap((call) => [
        fieldAt(call, "callID"),
        fieldAt(call, "tool"),
        fieldAt(call, "state", "input"),
        fieldAt(call, "state", "output") ?? fieldAt(call, "state", "error"),
      ]),
    ]);
    expect(counted / expected, file).toBeGreaterThan(0.98);
    expect(counted / expected, file).toBeLessThan(1.03);
  }
});
