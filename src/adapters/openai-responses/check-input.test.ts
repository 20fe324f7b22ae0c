import { expect, test } from "vitest";
import { checkResponsesInput } from "../../../test/support/check-responses-input.ts";
import {
  answers,
  answersCustom,
  calls,
  responsesBody,
  says,
  thinks,
} from "../../../test/support/responses-requests.ts";

const GO = says("user", "go");
const problems = (input: unknown, stored?: readonly unknown[]) =>
  checkResponsesInput(responsesBody(input), stored).join();

test("the checker accepts what servers accept", () => {
  const input = [
    GO,
    thinks("rs_1"),
    calls("c1"),
    calls("c2"),
    answers("c2"),
    answers("c1", ""),
    thinks("rs_2"),
    says("assistant", "ok"),
  ];
  expect(problems(input, input)).toBe("");
  expect(problems("go")).toBe("");
});

test.each<[string, unknown, RegExp, (readonly unknown[])?]>([
  ["an empty input", [], /input is empty/],
  ["a field of ours", [{ ...GO, ts: 5 }], /Unknown parameter: 'input\[0\]\.ts'/],
  ["another role", [says("model", "x")], /role/],
  ["no content", [{ role: "user", content: [] }], /content' is empty/],
  ["an empty text", [says("user", "")], /text' is empty/],
  ["a user's part from the assistant", [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }], /type/],
  ["arguments that are no JSON", [GO, { ...calls("c1"), arguments: "{" }, answers("c1")], /no JSON/],
  ["a call without its output", [GO, calls("c1")], /No tool output found for tool call c1/],
  ["an output without its call", [GO, answers("c1")], /No tool call found .* c1/],
  ["an output before its call", [GO, answers("c1"), calls("c1")], /No tool call found/],
  ["two outputs for one call", [GO, calls("c1"), answers("c1"), answers("c1")], /No tool call found/],
  ["an output of another kind of tool", [GO, calls("c1"), answersCustom("c1")], /answers a function_call/],
  ["a message between a call and its output", [GO, calls("c1"), GO, answers("c1")], /a message comes first/],
  ["reasoning at the end", [GO, thinks("rs_1")], /without its required following item/],
  ["reasoning before a user's message", [GO, thinks("rs_1"), GO], /without its required following item/],
  [
    "an item without the reasoning that it had",
    [GO, says("assistant", "x", { id: "msg_1" })],
    /required 'reasoning' item: 'rs_1'/,
    [thinks("rs_1"), says("assistant", "x", { id: "msg_1" })],
  ],
  [
    "reasoning with another item than it had",
    [GO, thinks("rs_1"), says("assistant", "y", { id: "msg_2" })],
    /without its required following item/,
    [thinks("rs_1"), says("assistant", "x", { id: "msg_1" })],
  ],
])("the checker refuses %s", (_, input, message, stored) => {
  expect(problems(input, stored)).toMatch(message);
});
