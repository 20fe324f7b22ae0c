import { describe, expect, test } from "vitest";
import { checkResponsesInput } from "../../../test/support/check-responses-input.ts";
import { assistant, call, tag, text, user } from "../../../test/support/messages.ts";
import {
  answers,
  calls,
  originals,
  readBody,
  responsesBody,
  says,
  thinks,
  writtenInput,
} from "../../../test/support/responses-requests.ts";
import type { Block } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { openaiResponsesAdapter } from "./index.ts";

const { writeRequest } = openaiResponsesAdapter;
const standIn = (message: Extract<WirePart, { type: "stand-in" }>["message"]): WirePart => ({
  type: "stand-in",
  message,
});
const MARKER = standIn(tag(user("[2 earlier messages hidden]"), { isTruncationMarker: true, truncationId: "t" }));

describe("messages that are left out", () => {
  const BODY = `{ "model": "m",\n  "input" : [
    {"role":"user", "content":"a\\u0020b"} ,
    {"content":[ {"type":"output_text","text":"one","annotations":[]} ],"role":"assistant","type":"message","id":"msg_1"},
    {"role":"user","content":"three"},
    {"role" : "user", "x_unknown": 1.50, "content":"four"}
  ],  "store":false , "x_new": 1e3 }`;

  test("leave all around them as it was, to the byte", () => {
    expect(
      writeRequest(readBody(BODY), [...originals(0), MARKER, ...originals(3)]),
    ).toBe(`{ "model": "m",\n  "input" : [
    {"role":"user", "content":"a\\u0020b"} ,
    {"type":"message","role":"user","content":[{"type":"input_text","text":"[2 earlier messages hidden]"}]} ,
    {"role" : "user", "x_unknown": 1.50, "content":"four"}
  ],  "store":false , "x_new": 1e3 }`);
  });

  test("leave what the developer said first, and tools that were declared since", () => {
    const tools = { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] };
    const input = [
      tools,
      says("developer", "rules"),
      says("user", "go"),
      says("assistant", "yes"),
      tools,
      says("user", "on"),
    ];
    expect(writtenInput(input, [...originals(0), MARKER, ...originals(2)])).toEqual([
      ...input.slice(0, 3),
      tools,
      expect.objectContaining({ role: "user" }),
      says("user", "on"),
    ]);
  });

  test("take what the developer said along where that is left out too", () => {
    const input = [says("user", "go"), says("assistant", "yes"), says("developer", "hint"), says("user", "on")];
    expect(writtenInput(input, originals(0, 3))).toEqual([input[0], input[3]]);
    expect(writtenInput(input, originals(0, 2, 3))).toEqual([input[0], input[2], input[3]]);
  });

  test("leave items that answer late in their own order", () => {
    const input = [
      says("user", "go"),
      calls("c1"),
      says("user", "hurry"),
      answers("c1"),
      says("assistant", "ok"),
      says("user", "x"),
    ];
    expect(writtenInput(input, originals(0, 1, 2, 3, 5))).toEqual([...input.slice(0, 4), input[5]]);
    expect(writtenInput(input, originals(0, 1, 2, 4))).toEqual([input[0], input[1], input[3], input[4]]);
  });

  test("of an input that is a text make it a list", () => {
    const body = writeRequest(readBody(responsesBody("go\n")), [...originals(0), MARKER]);
    expect(JSON.parse(body).input[0]).toEqual({ role: "user", content: "go\n" });
    expect(checkResponsesInput(body)).toEqual([]);
  });
});

describe("a summary", () => {
  const summary = tag(
    assistant({ type: "reasoning", text: "ours" }, text("What was done."), text("[4 hidden]"), call("c1"), call("c2")),
    { isSummary: true, condenseId: "s" },
  );
  const reply = [
    says("assistant", "before"),
    { ...thinks("rs_1"), content: null },
    says("assistant", "I read.", { id: "msg_1" }),
    { ...calls("c1"), arguments: '{"path": "a.ts"}', id: "fc_1" },
    calls("c2"),
  ];
  const input = [says("user", "go"), ...reply, answers("c1"), answers("c2")];

  test("carries calls as they were, with the reasoning that led to them, right before their outputs", () => {
    const carried = {
      ...summary,
      content: [text("S"), { ...call("c1"), input: { path: "a.ts" } }, { ...call("c2"), input: { path: "a.ts" } }],
    };
    expect(writtenInput(input, [...originals(0), standIn(carried), ...originals(2)])).toEqual([
      input[0],
      says("assistant", "S"),
      ...reply.slice(1),
      ...input.slice(-2),
    ]);
  });

  test("says what it says without our own reasoning, which has no seal", () => {
    const [, said] = writtenInput(input, [...originals(0), standIn(summary), ...originals(2)]);
    expect(said).toEqual({
      type: "message",
      role: "assistant",
      content: [
        { type: "output_text", text: "What was done." },
        { type: "output_text", text: "[4 hidden]" },
      ],
    });
  });

  test("writes a call that the request does not hold, without an id that would ask for its reasoning", () => {
    const custom: Block = {
      type: "tool_use",
      id: "c8",
      name: "apply_patch",
      input: "***",
      item_type: "custom_tool_call",
      item_id: "x",
    };
    expect(writtenInput([says("user", "go")], [standIn(assistant(call("c9"), custom))])).toEqual([
      calls("c9"),
      { type: "custom_tool_call", call_id: "c8", name: "apply_patch", input: "***" },
    ]);
  });
});

test("a part that the request does not have is refused by name", () => {
  expect(() => writeRequest(readBody(responsesBody("go")), originals(1))).toThrow(/index is 1; it must be that of one/);
});

test("a request is written again after it was copied", () => {
  const request = readBody(responsesBody([says("user", "go"), says("assistant", "yes")]));
  const copy = { ...request, raw: { ...request.raw } };
  expect(writeRequest(copy, originals(0))).toBe(writeRequest(request, originals(0)));
});
