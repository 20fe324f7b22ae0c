import { expect, test } from "vitest";
import { cpuTimeMs } from "../../test/support/cpu-time.ts";
import { describeContent } from "./describe-content.ts";

test.each([
  ["# notes\n\nof a day", /^it is text, not JSON$/],
  ["PAR1\u0000\u0015", /^it is binary/],
  ["\n# aider chat started at 2025-01-01 10:00:00\n\n> Added a.py\n\n#### fix it\n", /chat history of aider/],
  ["# Guide\n\n#### A part\n\n> A quote\n", /^it is text/],
  ['{"trace_id": "t", "spans": [{"span_name": "main"', /trace of OpenTelemetry/],
  ['{"trace_id": "t", "errors": []}', /remarks about a trace/],
  ['{"id": "q", "question": [[{"role": "user", "content": "hi"}]]}\n{"id": "r"', /questions of a benchmark/],
  ['[{"context": "facts", "questions": ["who?"]}]', /questions of a benchmark/],
  ['{"id": "q", "ground_truth": ["a"]}\n', /answers of a benchmark/],
  ['{"name": "ls", "description": "d", "parameters": {}}\n', /definitions of tools/],
  ['{"a": 1, "b": 2}', /first fields: a, b\)$/],
  ['[{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}]', /first fields: a, b, c, d, e, f, …\)$/],
  ["[1, 2]", /list without messages/],
  ["{}", /object without fields/],
  ['{"messages": [{"role": "user", "content": "hel', /first fields: messages\), and it breaks off before its end$/],
  ['{"a": "}]\\" [{"}', /first fields: a\)$/],
  ["{broken", /breaks off or is broken|object without fields/],
])("says what %j is instead of a session", (head, what) => {
  expect(describeContent(head)).toMatch(what);
});

test("looks at the beginning only, and names no field in full that is a text of its own", () => {
  const head = `{"${"x".repeat(5_000)}": ["${"y".repeat(20_000_000)}`;
  let text = "";
  expect(cpuTimeMs(() => (text = describeContent(head)))).toBeLessThan(1_000);
  expect(text.length).toBeLessThan(200);
});
