import { describe, expect, test } from "vitest";
import { call, text } from "../../../test/support/messages.ts";
import {
  answers,
  answersCustom,
  calls,
  callsCustom,
  originals,
  readBody,
  responsesBody,
  says,
  thinks,
  writtenInput,
} from "../../../test/support/responses-requests.ts";
import type { Block, BlockFold } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { openaiResponsesAdapter } from "./index.ts";

const { writeRequest } = openaiResponsesAdapter;
const folded = (index: number, ...standIns: readonly (readonly [number, Block])[]): WirePart => ({
  type: "folded",
  index,
  folds: standIns.map(
    ([blockIndex, block]): BlockFold => ({
      foldId: "f",
      kind: "clip",
      blockIndex,
      standIn: block,
      hiddenTokens: 1,
    }),
  ),
});

describe("a block that is folded", () => {
  const result = (id: string, content: string | readonly Block[]): Block => ({
    type: "tool_result",
    tool_use_id: id,
    content,
  });

  test("changes nothing else of its item", () => {
    const body = `{"input":[{"role":"user","content":"go"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},
      {"type":"function_call_output", "call_id":"c1","x_new":1.0,  "output" : "long" , "status":"completed"}]}`;
    expect(writeRequest(readBody(body), [...originals(0, 1), folded(2, [0, result("c1", "[stub]")])])).toBe(
      body.replace('"long"', '"[stub]"'),
    );
  });

  test("of an output with parts changes only that part", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" };
    const output = [image, { type: "input_text", text: "long", x_new: 1 }, { ...image, detail: "low" }];
    const input = [says("user", "go"), callsCustom("c1"), answersCustom("c1", output)];
    const request = readBody(responsesBody(input));
    const [before] = Array.isArray(request.messages[2]?.content) ? request.messages[2].content : [];
    const parts: readonly Block[] =
      before !== undefined && "content" in before && Array.isArray(before.content) ? before.content : [];
    const shown = [
      { ...parts[0], type: "image" },
      { ...parts[1], type: "text", text: "short" },
      text("[image hidden]"),
    ];
    expect(writtenInput(input, [...originals(0, 1), folded(2, [0, result("c1", shown)])])[2]).toEqual(
      answersCustom("c1", [
        image,
        { type: "input_text", text: "short", x_new: 1 },
        { type: "input_text", text: "[image hidden]" },
      ]),
    );
    expect(writtenInput(input, [...originals(0, 1), folded(2, [0, result("c1", "[stub]")])])[2]).toEqual(
      answersCustom("c1", "[stub]"),
    );
  });

  test("of a call stays what its tool takes: JSON in a string, or text", () => {
    const input = [
      says("user", "go"),
      { ...thinks("rs_1") },
      calls("c1", { a: 1 }),
      callsCustom("c2", "long"),
      answers("c1"),
      answersCustom("c2"),
    ];
    const written = writtenInput(input, [
      ...originals(0),
      folded(
        1,
        [0, text("[reasoning hidden]")],
        [1, { ...call("c1"), input: { "…": "[hidden]" } }],
        [2, { ...call("c2"), input: "lo…" }],
      ),
      ...originals(2),
    ]);
    expect(written).toEqual([
      input[0],
      input[1],
      calls("c1", { "…": "[hidden]" }),
      callsCustom("c2", "lo…"),
      ...input.slice(4),
    ]);
  });

  test("of a message is text in its place; of an unknown item, a message of whoever said it", () => {
    const input = [
      { role: "user", content: "long" },
      says("assistant", "long", { id: "msg_1", phase: "commentary" }),
      { type: "web_search_call", id: "ws_1" },
      says("developer", "long"),
      { role: "user", content: [{ type: "input_image", image_url: "https://example.invalid/a.png" }] },
    ];
    const written = writtenInput(input, [
      folded(0, [0, text("s0")]),
      folded(1, [0, text("s1")], [1, text("s2")]),
      folded(2, [0, text("s3")]),
      folded(3, [0, text("s4")]),
    ]);
    expect(written).toEqual([
      { role: "user", content: "s0" },
      says("assistant", "s1", { id: "msg_1", phase: "commentary" }),
      says("assistant", "s2"),
      says("developer", "s3"),
      { role: "user", content: [{ type: "input_text", text: "s4" }] },
    ]);
  });

  test("of a shell keeps how the command ended; an output that is no text stays", () => {
    const output = [{ stdout: "long", stderr: "x", outcome: { type: "exit", exit_code: 1 } }];
    const screen = { type: "computer_screenshot", image_url: "https://example.invalid/a.png" };
    const input = [
      says("user", "go"),
      { type: "shell_call", call_id: "c1", action: { commands: ["ls"] } },
      { type: "computer_call", call_id: "c2", action: { type: "screenshot" } },
      { type: "shell_call_output", call_id: "c1", output },
      { type: "computer_call_output", call_id: "c2", output: screen },
    ];
    const written = writtenInput(input, [
      ...originals(0, 1),
      folded(2, [0, result("c1", "[stub]")], [1, result("c2", "[stub]")]),
    ]);
    expect(written[3]).toMatchObject({ output: [{ stdout: "[stub]", stderr: "", outcome: { exit_code: 1 } }] });
    expect(written[4]).toEqual(input[4]);
  });
});
