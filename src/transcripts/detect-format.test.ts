import { describe, expect, test } from "vitest";
import { detectFormat } from "./detect-format.ts";

const detect = (text: string, isWhole = true) => detectFormat({ text, isWhole })?.name;
const json = (value: unknown, space?: number) => JSON.stringify(value, undefined, space);

const gemini = { sessionId: "s", projectHash: "h", messages: [{ id: "u", type: "user", content: "hi" }] };
const chat = [
  { role: "system", content: "Help." },
  { role: "user", content: "hi" },
];
const claude = { type: "user", uuid: "1", parentUuid: null, sessionId: "s", message: { role: "user", content: "hi" } };

describe("tells formats by their content", () => {
  test("a document, on one line or on many", () => {
    expect([detect(json(gemini)), detect(json(gemini, 2))]).toEqual(["gemini-cli", "gemini-cli"]);
    expect([detect(json(chat)), detect(json(chat, 1))]).toEqual(["openai", "openai"]);
  });

  test("lines, also with blank, half-written and broken ones among them", () => {
    const lines = `\r\n${json(claude)}\r\n{"type":"assis\r\n${json(claude)}`;
    expect(detect(lines)).toBe("claude-code");
    expect(detect(`not json at all\n${json(claude)}\n`)).toBe("claude-code");
  });

  test("a document with one message on each line is no file of lines, though its last line alone would be one", () => {
    expect(detect(`[\n${chat.map((message) => json(message)).join(",\n")}\n]`)).toBe("openai");
    expect(detect(chat.map((message) => json(message)).join("\n"))).toBe("openai-jsonl");
  });

  test("one line alone, whichever it is", () => {
    expect(detect(json({ messages: chat }))).toBe("openai");
    expect(detect(json(claude))).toBe("claude-code");
  });

  test("a document of which only the beginning is there", () => {
    const text = json(gemini, 2);
    expect(detect(text.slice(0, text.indexOf('"user"')), false)).toBe("gemini-cli");
    const trajectory = json({ trajectory: [{ action: "ls", query: chat }, {}], history: chat });
    expect(detect(trajectory.slice(0, -60), false)).toBe("swe-agent");
  });

  test("but not by a message of which the end, where its tags are, is still to come", () => {
    const history = json([{ role: "user", content: "x".repeat(100), ts: 1 }, ...chat.slice(1)]);
    expect(detect(history.slice(0, 50), false)).toBeUndefined();
    expect(detect(history.slice(0, 160), false)).toBe("roo");
  });

  test.each([
    "",
    " \n",
    "{}",
    "[]",
    "null",
    "5",
    '"text"',
    "# aider chat started at 2025",
    '{"a":1}\n{"a":2}',
    "[[[[",
    "\u0000",
  ])("and knows nothing of %j", (text) => {
    expect(detect(text)).toBeUndefined();
    expect(detect(text, false)).toBeUndefined();
  });
});
