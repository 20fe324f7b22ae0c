import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import { readItems } from "./read-items.ts";
import { writeItems } from "./write-items.ts";

const PROMPT = { type: "message", role: "user", content: "List the files." };
const SHELL_CALL = { type: "shell_call", id: "sh_1", callId: "c1", action: { commands: ["ls"] }, status: "completed" };
const SHELL_OUTPUT = {
  type: "shell_call_output",
  callId: "c1",
  output: [{ stdout: "a.ts\nb.ts", stderr: "", outcome: { type: "exit", exitCode: 0 } }],
};
const IMAGE = { type: "input_image", image: "data:image/png;base64,AAAA" };
const RESULT = {
  type: "function_call_result",
  callId: "c2",
  name: "look",
  status: "completed",
  output: [{ type: "input_text", text: "long" }, IMAGE],
  providerData: { kept: true },
};
const CALL = { type: "function_call", id: "fc_2", callId: "c2", name: "look", arguments: "{}", status: "completed" };
const REASONING = { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "I look." }] };

/** The places of a view in which one message is shown otherwise. */
function placesWith(messages: readonly Message[], folded: number, shown: Message["content"]): readonly ViewPlace[] {
  return messages.map((said, index) =>
    index === folded
      ? { type: "folded", index, said, shown: { ...said, content: shown } }
      : { type: "original", index },
  );
}

function write(items: readonly object[], folded: number, shown: Message["content"]): readonly object[] {
  const groups = readItems(items);
  return writeItems(
    placesWith(
      groups.map(({ message }) => message),
      folded,
      shown,
    ),
    groups,
    items,
  );
}

test("writes both halves of a built-in tool's call as those of a function where one of them is folded", () => {
  const items = [PROMPT, SHELL_CALL, SHELL_OUTPUT];
  const written = write(items, 2, [{ type: "tool_result", tool_use_id: "c1", content: "[folded]" }]);
  expect(written[0]).toBe(PROMPT);
  expect(written.slice(1)).toEqual([
    { type: "function_call", callId: "c1", name: "shell", arguments: '{"commands":["ls"]}', status: "completed" },
    { type: "function_call_result", callId: "c1", name: "shell", output: "[folded]", status: "completed" },
  ]);
});

test("keeps the parts of a result that are shown as they were", () => {
  const [, , output] = readItems([PROMPT, CALL, RESULT]);
  const [said] = typeof output?.message.content === "object" ? output.message.content : [];
  const image = said !== undefined && "content" in said && Array.isArray(said.content) ? said.content[1] : undefined;
  const shown = [{ type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "[folded]" }, image] }];
  const written = write([PROMPT, CALL, RESULT], 2, shown);
  expect(written[1]).toBe(CALL);
  expect(written[2]).toEqual({ ...RESULT, output: [{ type: "input_text", text: "[folded]" }, IMAGE] });
});

test("leaves folded reasoning out, and then the ids of what it led to", () => {
  const items = [PROMPT, REASONING, CALL, RESULT];
  const call = { type: "tool_use", id: "c2", name: "look", input: {} };
  const written = write(items, 1, [{ type: "text", text: "[folded]" }, call]);
  const { id: _, ...withoutId } = CALL;
  expect(written).toEqual([PROMPT, withoutId, RESULT]);
});

test("puts the result of a call right behind it only where something is folded", () => {
  const note = { type: "message", role: "user", content: "Hurry." };
  const items = [PROMPT, CALL, note, RESULT];
  const groups = readItems(items);
  const places = groups.map((_, index): ViewPlace => ({ type: "original", index }));
  expect(writeItems(places, groups, items)).toBe(items);
  const summary: Message = { role: "user", content: "A summary.", isSummary: true, condenseId: "c" };
  const folded = writeItems([{ type: "stand-in", message: summary }, ...places.slice(1)], groups, items);
  expect(folded).toEqual([{ type: "message", role: "user", content: "A summary." }, CALL, RESULT, note]);
});
