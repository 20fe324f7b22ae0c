import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../core/message/message.ts";
import { toAnthropic } from "../anthropic/index.ts";
import { toGemini } from "../gemini/index.ts";
import { toOpenAiChat } from "../openai-chat/index.ts";
import { toOpenAiResponses } from "../openai-responses/index.ts";

const data = "JVBERi0xLjQ=";
const dataUrl = `data:application/pdf;base64,${data}`;
const source = { type: "base64", media_type: "application/pdf", data } as const;
const url = "https://example.invalid/a.pdf";

/** A PDF in every form in which it comes. */
const PDFS: Readonly<Record<string, Block>> = {
  anthropic: { type: "document", source, title: "a.pdf" },
  "an image": { type: "image", source },
  "a data URL as an image": { type: "image", source: { type: "url", url: dataUrl } },
  gemini: { type: "image", source },
  "openai-chat": { type: "file", file: { file_data: dataUrl, filename: "a.pdf" } },
  "openai-chat without a name": { type: "file", file: { file_data: dataUrl } },
  "openai-responses": { type: "input_file", file_data: dataUrl, filename: "a.pdf" },
  "openai-responses, bare base64": { type: "input_file", file_data: data, filename: "a.pdf" },
};

const question = (block: Block): readonly Message[] => [{ role: "user", content: [block] }];
const result = (block: Block): readonly Message[] => [
  { role: "user", content: "Read it." },
  { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [block] }] },
];

/** What each wire's API takes for the PDF. */
const WIRES = {
  anthropic: { convert: toAnthropic, written: { type: "document", source } },
  gemini: { convert: toGemini, written: { inlineData: { mimeType: "application/pdf", data } } },
  "openai-chat": {
    convert: toOpenAiChat,
    written: { type: "file", file: { file_data: dataUrl, filename: expect.stringMatching(/\.pdf$/) } },
  },
  "openai-responses": {
    convert: toOpenAiResponses,
    written: { type: "input_file", file_data: dataUrl, filename: expect.stringMatching(/\.pdf$/) },
  },
} as const;

/** Every object of a prompt, at any depth. */
function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

const pairs = Object.keys(PDFS).flatMap((from) => Object.keys(WIRES).map((to) => [from, to] as const));

describe.each([
  ["a question", question],
  ["a result", result],
] as const)("a PDF in %s", (_, conversation) => {
  test.each(pairs)("from %s to %s is the document that it was", (from, to) => {
    const wire = Object.entries(WIRES).find(([name]) => name === to)?.[1];
    const prompt = wire?.convert(conversation(PDFS[from] ?? { type: "none" }));
    expect(objectsIn(prompt)).toContainEqual(expect.objectContaining(wire?.written ?? {}));
    const texts = objectsIn(prompt).flatMap((each) => ("text" in each ? [String(each.text)] : []));
    expect(texts.join("\n")).not.toContain(data);
    expect(JSON.stringify(prompt)).not.toContain("image_url");
    expect(JSON.stringify(prompt)).not.toContain("input_image");
  });
});

describe("a document that is linked", () => {
  const linked: Block = { type: "document", source: { type: "url", url } };
  const file: Block = { type: "input_file", file_url: url };

  test("is linked where the API takes an address, and named elsewhere", () => {
    expect(toOpenAiResponses(question(linked)).input).toEqual([{ role: "user", content: [file] }]);
    expect(toAnthropic(question(file)).messages).toEqual([{ role: "user", content: [linked] }]);
    const fileData = { mimeType: "application/pdf", fileUri: url };
    expect(toGemini(question(file)).contents[0]?.parts).toEqual([{ fileData }]);
    expect(toOpenAiResponses(question({ type: "fileData", fileData })).input).toEqual([
      { role: "user", content: [file] },
    ]);
    expect(toOpenAiChat(question(linked)).messages[0]?.content).toEqual([
      { type: "text", text: `[Not shown here: document, ${url}]` },
    ]);
  });
});

test("a document that only its provider has is named", () => {
  const uploaded: Block = { type: "file", file: { file_id: "f1", filename: "a.pdf" } };
  const text = "[Not shown here: file, a.pdf]";
  expect(toAnthropic(question(uploaded)).messages[0]?.content).toEqual([{ type: "text", text }]);
  expect(toGemini(question(uploaded)).contents[0]?.parts).toEqual([{ text }]);
});

test("a document of text is its text", () => {
  const block: Block = { type: "document", source: { type: "text", media_type: "text/plain", data: "Twice." } };
  expect(toOpenAiChat(question(block)).messages[0]?.content).toEqual([{ type: "text", text: "Twice." }]);
  expect(toOpenAiResponses(question(block)).input).toEqual([
    { role: "user", content: [{ type: "input_text", text: "Twice." }] },
  ]);
  expect(toGemini(question(block)).contents[0]?.parts).toEqual([{ text: "Twice." }]);
});

test("bytes in a format that a wire does not take are never its text", () => {
  const csv: Block = { type: "input_file", file_data: "data:text/csv;base64,YSxi", filename: "a.csv" };
  const text = "[Not shown here: text/csv, a.csv]";
  expect(toAnthropic(question(csv)).messages[0]?.content).toEqual([{ type: "text", text }]);
  expect(toGemini(question(csv)).contents[0]?.parts).toEqual([{ text }]);
  expect(toOpenAiChat(question(csv)).messages[0]?.content).toEqual([{ type: "text", text }]);
  expect(toOpenAiResponses(question(csv)).input).toEqual([{ role: "user", content: [csv] }]);
});
