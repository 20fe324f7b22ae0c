import { expect, test } from "vitest";
import { predictMiss } from "./diagnose-cache.ts";

const PATHS = [["messages"]];
const body = (fields: object) => JSON.stringify({ model: "m", tools: [{ name: "read" }], ...fields });
const same = (text: string) => ({ agent: text, sent: text });
const says = (...texts: readonly string[]) => ({ messages: texts.map((content) => ({ role: "user", content })) });

test.each([
  ["what is only added", body(says("a")), body(says("a", "b"))],
  ["the same", body(says("a")), body(says("a"))],
  [
    "a mark that moves",
    body({
      messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] }],
    }),
    body(says("a", "b")),
  ],
])("%s breaks nothing", (_, before, now) => {
  expect(predictMiss(same(before), same(now), PATHS)).toBeUndefined();
});

test.each([
  ["model", { model: "other" }],
  ["tools", { tools: [{ name: "write" }] }],
  ["system", { system: "Be brief." }],
  ["messages", says("é", "c")],
])("names the first byte that differs: %s", (part, fields) => {
  const [before, now] = [body(says("é", "b")), body({ ...says("é", "b"), ...fields })];
  const predicted = predictMiss(same(before), same(now), PATHS);
  expect(predicted).toMatchObject({ part, cause: "agent" });
  const [one, other] = [Buffer.from(before), Buffer.from(now)];
  const first = one.findIndex((byte, index) => byte !== other[index]);
  if (part !== "system") expect(predicted?.byte).toBe(first);
});

test("a fold is ours, and a change that the agent makes before it is the agent's", () => {
  const before = same(body(says("a", "b", "c")));
  const folded = { agent: body(says("a", "b", "c", "d")), sent: body(says("a", "summary", "d")) };
  expect(predictMiss(before, folded, PATHS)).toMatchObject({ part: "messages", cause: "gateway" });
  const both = { agent: body({ ...says("a"), tools: [] }), sent: body({ ...says("x"), tools: [] }) };
  expect(predictMiss(before, both, PATHS)).toMatchObject({ part: "tools", cause: "agent" });
});

test("a conversation that got shorter differs where it ends", () => {
  expect(predictMiss(same(body(says("a", "b"))), same(body(says("a"))), PATHS)).toMatchObject({ part: "messages" });
});
