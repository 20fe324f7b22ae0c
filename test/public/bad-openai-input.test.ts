/** OpenAI's converters against what they were not made for. */
import { describe, expect, test } from "vitest";
import { fromOpenAiChat, fromOpenAiResponses, toOpenAiChat, toOpenAiResponses } from "../../src/messages/index.ts";
import { type Fault, MESSAGES_FAULTS, unmetFaults } from "../support/faults.ts";

const GOOD = [{ role: "user", content: "Why?" }];
const NO_OPTIONS: readonly Fault[] = [
  [null, /options is null/],
  [5, /options is 5/],
  [{ system: 5 }, /options\.system is 5/],
  [{}, "answers"],
];

describe.each([
  ["toOpenAiChat", toOpenAiChat, { reasoning: 5 }],
  ["toOpenAiResponses", toOpenAiResponses, { stored: 5 }],
])("%s", (_, convert, wrongOptions) => {
  const call = (...given: readonly unknown[]): unknown => Reflect.apply(convert, undefined, given);

  test("refuses what is no list of messages", () => {
    expect(unmetFaults((input) => call(input), MESSAGES_FAULTS)).toEqual([]);
  });

  test("refuses what are no options", () => {
    const faults: readonly Fault[] = [...NO_OPTIONS, [wrongOptions, /options\.\w+ is 5/]];
    expect(unmetFaults((input) => call(GOOD, input), faults)).toEqual([]);
  });
});

/** Entries that somebody else made: what can be carried is, whatever its fields are. */
const ODD_FIELDS: readonly Fault[] = [
  [[{ role: "user", content: 5 }], "answers"],
  [
    [{ role: "user", content: [null, 5, {}, { type: "text" }, { type: "image_url" }, { type: "tool_use" }] }],
    "answers",
  ],
  [[{ role: "assistant", tool_calls: [null, 5, {}, { function: 5 }, { custom: {} }], content: { a: 1 } }], "answers"],
  [[{ role: "assistant", refusal: 5, audio: 5, reasoning_details: 5, function_call: 5 }], "answers"],
];

const ODD_ITEMS: readonly Fault[] = [
  [[{}], "answers"],
  [[{ type: "text" }, { type: "tool_use" }, { type: "tool_result" }, { type: "image" }], "answers"],
  [
    [
      { type: "function_call", call_id: "a" },
      { type: "function_call_output", call_id: "a", output: 5 },
    ],
    "answers",
  ],
  [
    [
      { type: "shell_call", call_id: "a", id: 5 },
      { type: "shell_call_output", call_id: "a", output: [null] },
    ],
    "answers",
  ],
  [[{ type: "reasoning", summary: 5, content: [null], id: "rs_1", encrypted_content: 5 }], "answers"],
  [
    [
      {
        type: "message",
        role: "assistant",
        id: "m",
        content: [{ type: "output_text", text: "a", annotations: [null] }],
      },
    ],
    "answers",
  ],
];

describe.each([
  ["fromOpenAiChat", fromOpenAiChat, toOpenAiChat, ODD_FIELDS, /list/],
  ["fromOpenAiResponses", fromOpenAiResponses, toOpenAiResponses, [...ODD_FIELDS, ...ODD_ITEMS], /items/],
])("%s", (_, convert, back, odd, name) => {
  const call = (input: unknown): unknown => Reflect.apply(convert, undefined, [input]);

  test("refuses what is no list, and says which entry is none of its kind", () => {
    const faults: readonly Fault[] = [
      ...[null, undefined, 5, "a", {}].map((input): Fault => [input, name]),
      ...[null, 5, "a", []].map((input): Fault => [[...GOOD, input], /\[1\] is /]),
    ];
    expect(unmetFaults(call, faults)).toEqual([]);
  });

  test("carries what is odd, and what it gives can be sent", () => {
    const thereAndBack = (input: unknown) => Reflect.apply(back, undefined, [call(input)]);
    expect(unmetFaults(thereAndBack, odd)).toEqual([]);
  });
});
