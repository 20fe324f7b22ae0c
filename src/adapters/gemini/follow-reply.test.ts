import { GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { readTooLong } from "../../core/policy/too-long.ts";
import { startModelServer } from "../../testing/index.ts";
import { geminiAdapter } from "./index.ts";

const METADATA = {
  promptTokenCount: 900,
  cachedContentTokenCount: 700,
  candidatesTokenCount: 40,
  thoughtsTokenCount: 25,
  totalTokenCount: 965,
};
const USAGE = { inputTokens: 200, cacheReadTokens: 700, outputTokens: 40, reasoningTokens: 25 };

const textOf = (text: string, usageMetadata: object = { promptTokenCount: 900 }) =>
  JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: "model" } }], usageMetadata });
const PIECES = [textOf('he said "}{" \\'), textOf("data: ünï 😀\n\n"), textOf("", METADATA)];

function usageOf(text: string, pieceLength = text.length) {
  const follower = geminiAdapter.followReply();
  for (let at = 0; at < text.length; at += pieceLength) follower.push(text.slice(at, at + pieceLength));
  return follower.usage();
}

const BODIES: readonly (readonly [string, string])[] = [
  ["whole", PIECES[2] ?? ""],
  ["whole, with line breaks", JSON.stringify({ candidates: [], usageMetadata: METADATA }, null, 2)],
  ["as a list of responses", `[${PIECES.join(",\r\n")}\r\n]\r\n`],
  ["as events", PIECES.map((piece) => `data: ${piece}\r\n\r\n`).join("")],
  [
    "as events with comments, names and bare line feeds",
    PIECES.map((piece) => `: {\nevent: x\ndata:${piece}\n\n`).join(""),
  ],
];

describe("what a reply reports as used", () => {
  test.each(BODIES)("is found in a reply that comes %s, cut anywhere", (_, body) => {
    for (const length of [1, 2, 7, 64, body.length]) expect(usageOf(body, length)).toEqual(USAGE);
  });

  test("is the latest report where the stream is cut", () => {
    const [, events = ""] = BODIES[3] ?? [];
    expect(usageOf(events.slice(0, events.length - 10))).toEqual({ inputTokens: 900 });
  });

  test.each([
    "",
    "  \r\n",
    '{"error":{"code":400}}',
    "<html>",
    "data: [DONE]\n\n",
    "[]",
    ']}{"',
    '{"usageMetadata":5}',
  ])("is nothing in %j", (body) => {
    expect(usageOf(body)).toBeUndefined();
    expect(usageOf(body, 1)).toBeUndefined();
  });

  test("is what a model server sends to the official client", async () => {
    const server = await startModelServer();
    try {
      const usage = { inputTokens: 30, cacheReadTokens: 70, outputTokens: 12 };
      const reply = { type: "text", text: "It is empty.", usage } as const;
      server.script(reply, reply, reply);
      const url = `${server.baseUrls.gemini}/models/gemini-2.5-flash`;
      const body = JSON.stringify({ contents: [{ parts: [{ text: "hi" }] }] });
      for (const target of [":generateContent", ":streamGenerateContent", ":streamGenerateContent?alt=sse"]) {
        const response = await fetch(url + target, { method: "POST", body });
        expect(usageOf(await response.text(), 5)).toEqual(usage);
      }
      const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
      await client.models.generateContent({ model: "gemini-2.5-flash", contents: "hi" });
      const sent = JSON.stringify(server.requests.at(-1)?.body);
      const path = "/v1beta/models/gemini-2.5-flash:generateContent";
      expect(geminiAdapter.readRequest({ path, body: sent })?.messages).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

describe("how far a reply has come", () => {
  const ERROR = {
    code: 400,
    message: "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
    status: "INVALID_ARGUMENT",
  };
  const [SAID = ""] = PIECES;
  const FAILED = JSON.stringify({ error: ERROR }, null, 1);

  function follow(...pieces: readonly string[]) {
    const follower = geminiAdapter.followReply();
    for (const piece of pieces) follower.push(piece);
    return follower;
  }

  test.each<[string, string, string]>([
    ["events", `data: ${SAID}\r\n\r\n`, `data: ${JSON.stringify({ error: ERROR })}\r\n\r\n`],
    ["a list", `[${SAID}\r\n`, `[${FAILED}]`],
  ])("the first object of %s says something, or why there will be nothing", (_, said, failed) => {
    expect(follow(said.slice(0, -5)).stage()).toBe("opening");
    expect(follow(...said).stage()).toBe("speaking");
    for (const follower of [follow(failed), follow(...failed)]) {
      expect(follower.stage()).toBe("failed");
      expect(follower.failure()).toEqual({ status: 400, message: ERROR.message, code: ERROR.status, body: ERROR });
      expect(readTooLong(follower.failure() ?? { message: "" })).toMatchObject({ limitTokens: 1_048_576 });
    }
  });

  const event = (piece: object) => `data: ${JSON.stringify(piece)}\r\n\r\n`;
  const candidate = (fields: object) => event({ candidates: [{ index: 0, ...fields }], usageMetadata: {} });

  test.each<[string, string]>([
    ["a comment", ": processing\n\n"],
    ["the begin of a list", "[\r\n"],
    ["what is used", event({ usageMetadata: { promptTokenCount: 3 }, modelVersion: "gemini-3-pro" })],
    ["an empty text", candidate({ content: { role: "model", parts: [{ text: "" }] } })],
    ["a role", candidate({ content: { role: "model" } })],
  ])("%s says nothing", (_, text) => {
    expect(follow(text).stage()).toBe("opening");
  });

  test.each<[string, string]>([
    ["a thought", candidate({ content: { parts: [{ text: "Hm", thought: true }] } })],
    ["a signature", candidate({ content: { parts: [{ text: "", thoughtSignature: "c2ln" }] } })],
    ["a call", candidate({ content: { parts: [{ functionCall: { name: "read", args: {} } }] } })],
    ["an end", candidate({ content: { parts: [{ text: "" }] }, finishReason: "STOP" })],
    ["a prompt that is blocked", event({ promptFeedback: { blockReason: "SAFETY" } })],
    ["what is no JSON", "data: hello\n\n"],
  ])("%s is content", (_, text) => {
    expect(follow(text).stage()).toBe("speaking");
  });

  test("a failure in the middle is told too; one document speaks, whatever it says", () => {
    expect(follow(`[${SAID},${FAILED}]`).failure()?.code).toBe("INVALID_ARGUMENT");
    const document = follow(FAILED);
    expect([document.stage(), document.failure()]).toEqual(["speaking", undefined]);
  });

  test("what the model says of errors is no failure", () => {
    expect(follow(`data: ${textOf('{"error":{"code":400}}')}\n\n`).failure()).toBeUndefined();
  });
});
