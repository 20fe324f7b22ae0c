import { expect, test } from "vitest";
import { fieldsOf, limitFields } from "./edit-fields.ts";

const NAMES = ["max_tokens", "max_completion_tokens"];

test.each([
  ["a larger number", '{"model":"m", "max_tokens" : 32000 ,"x":[1]}', '{"model":"m", "max_tokens" : 500 ,"x":[1]}'],
  [
    "several",
    '{"max_completion_tokens":9e3,"a":"}","max_tokens":501}',
    '{"max_completion_tokens":500,"a":"}","max_tokens":500}',
  ],
  ["a smaller one", '{"max_tokens":500}', '{"max_tokens":500}'],
  ["none", '{"model":"m"}', '{"model":"m"}'],
  [
    "no number",
    '{"max_tokens":null,"max_completion_tokens":"9000x"}',
    '{"max_tokens":null,"max_completion_tokens":"9000x"}',
  ],
  ["one of an inner object", '{"a":{"max_tokens":9000}}', '{"a":{"max_tokens":9000}}'],
  ["the last of two", '{"max_tokens":9000,"max_tokens":9001}', '{"max_tokens":9000,"max_tokens":500}'],
])("limits %s", (_what, text, expected) => {
  expect(limitFields(text, NAMES, 500)).toBe(expected);
});

test("does not make the text of a body whose value is known", () => {
  const raw = {
    path: "/v1/messages",
    value: { model: "m" },
    get body(): string {
      throw new Error("The text was made.");
    },
  };
  expect(fieldsOf(raw)).toEqual({ model: "m" });
  expect(fieldsOf({ path: "/v1/messages", body: '{"model":"n"}' })).toEqual({ model: "n" });
});
