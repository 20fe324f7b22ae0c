import { ApiError, type Content, type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countTextTokens } from "../../../core/tokens/o200k/count-text-tokens.ts";
import { type ModelServer, startModelServer } from "../../index.ts";

const MODEL = "gemini-2.5-flash";
const QUESTION: Content = { role: "user", parts: [{ text: "What is in a.txt?" }] };

let server: ModelServer;
let client: GoogleGenAI;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 1_000 });
  client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
});

afterEach(() => server.close());

const textOf = (responses: readonly GenerateContentResponse[]) =>
  responses.map((response) => response.text ?? "").join("");

describe("a reply", () => {
  test("comes whole, thoughts marked and counted apart", async () => {
    server.script({
      type: "text",
      text: "It is empty.",
      reasoning: "Let me see.",
      usage: { inputTokens: 7, outputTokens: 50, cacheReadTokens: 900 },
    });
    const response = await client.models.generateContent({ model: MODEL, contents: [QUESTION] });
    expect(response.candidates).toMatchObject([
      { content: { parts: [{ text: "Let me see.", thought: true }, { text: "It is empty." }] }, finishReason: "STOP" },
    ]);
    const thoughts = countTextTokens("Let me see.");
    expect(response.usageMetadata).toMatchObject({
      promptTokenCount: 907,
      cachedContentTokenCount: 900,
      thoughtsTokenCount: thoughts,
      candidatesTokenCount: 50 - thoughts,
      totalTokenCount: 957,
    });
  });

  test("streams the same text in several parts", async () => {
    server.script({ type: "text", text: "The file a.txt is empty, so there is nothing to say." });
    const responses = [];
    for await (const response of await client.models.generateContentStream({ model: MODEL, contents: [QUESTION] })) {
      responses.push(response);
    }
    expect(textOf(responses)).toBe("The file a.txt is empty, so there is nothing to say.");
    expect(responses.length).toBeGreaterThan(2);
    expect(responses.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
    expect(server.requests).toMatchObject([{ wire: "gemini", modelId: MODEL, isStreaming: true }]);
  });

  test("streams one JSON array where events were not asked for", async () => {
    server.script({ type: "text", text: "It is empty, I am afraid." });
    const url = `${server.baseUrls.gemini}/models/${MODEL}:streamGenerateContent`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ contents: [QUESTION] }) });
    const parts: readonly GenerateContentResponse[] = JSON.parse(await response.text());
    const text = parts.map(({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text).join("");
    expect(text).toBe("It is empty, I am afraid.");
  });

  test("ends as malformed where the arguments of a call are no JSON", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "call_1", name: "read", input: {}, rawInput: "{" }] });
    const { candidates } = await client.models.generateContent({ model: MODEL, contents: [QUESTION] });
    expect(candidates).toMatchObject([{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL" }]);
  });

  test("calls functions: with ids and a signature from version 3 on, without before", async () => {
    const calls = [
      { id: "1", name: "read", input: { path: "a.txt" } },
      { id: "2", name: "read", input: {} },
    ];
    server.script({ type: "tool-calls", calls }, { type: "tool-calls", calls });
    const old = await client.models.generateContent({ model: MODEL, contents: [QUESTION] });
    expect(old.candidates?.[0]?.content?.parts).toEqual([
      { functionCall: { name: "read", args: { path: "a.txt" } } },
      { functionCall: { name: "read", args: {} } },
    ]);
    const current = await client.models.generateContent({ model: "gemini-3-pro", contents: [QUESTION] });
    expect(current.candidates?.[0]?.content?.parts).toEqual([
      {
        functionCall: { id: "1", name: "read", args: { path: "a.txt" } },
        thoughtSignature: expect.stringMatching(/.+/),
      },
      { functionCall: { id: "2", name: "read", args: {} } },
    ]);
  });

  test("counts tokens, also of a lone function response", async () => {
    const response = { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "nothing" } } }] };
    const { totalTokens } = await client.models.countTokens({ model: MODEL, contents: [response] });
    expect(totalTokens).toBe(countTextTokens("read") + countTextTokens('{"output":"nothing"}'));
  });
});

const calling = (count: number, extra: object = {}): Content => ({
  role: "model",
  parts: Array.from({ length: count }, () => ({ functionCall: { name: "read", args: {} }, ...extra })),
});
const answering = (count: number): Content => ({
  role: "user",
  parts: Array.from({ length: count }, () => ({ functionResponse: { name: "read", response: { output: "x" } } })),
});

describe("a request is refused", () => {
  test.each<[string, Content[], RegExp]>([
    ["with another role", [{ role: "assistant", parts: [{ text: "x" }] }], /valid role: user, model/],
    ["with no part", [{ role: "user", parts: [] }], /contents\[0\]\.parts: contents\.parts must not be empty/],
    ["with an empty text", [{ role: "user", parts: [{ text: "" }] }], /must not be empty/],
    [
      "with the model's turn alone",
      [{ role: "model", parts: [{ text: "x" }] }],
      /single turn requests end with a user role/,
    ],
    [
      "with a call of a name that no function has",
      [QUESTION, { role: "model", parts: [{ functionCall: { name: "1 a", args: {} } }] }, answering(1)],
      /contents\[1\]\.parts\[0\]\.function_call\.name: \[FIELD_INVALID\] Invalid function name/,
    ],
    ["with half of a surrogate pair", [{ role: "user", parts: [{ text: "a\ud83d" }] }], /no low surrogate/],
    [
      "with a part that is nothing",
      [QUESTION, { role: "model", parts: [{}] }],
      /contents\[1\]\.parts\[0\]\.data: required/,
    ],
    ["with fewer responses than calls", [QUESTION, calling(2), answering(1)], /number of function response parts/],
    ["with more responses than calls", [QUESTION, calling(1), answering(2)], /number of function response parts/],
    ["with a call that nobody answered", [QUESTION, calling(1), QUESTION], /number of function response parts/],
    ["starting with a call", [calling(1), answering(1)], /function call turn comes immediately after a user turn/],
    [
      "with a call after the model's own turn",
      [QUESTION, { role: "model", parts: [{ text: "x" }] }, calling(1), answering(1)],
      /function call turn comes immediately after a user turn/,
    ],
    ["with an orphan response", [QUESTION, answering(1)], /response turn comes immediately after a function call turn/],
    [
      "with a prompt above the window",
      [{ role: "user", parts: [{ text: "word ".repeat(1_200) }] }],
      /input token count \(\d+\) exceeds the maximum number of tokens allowed \(1000\)/,
    ],
  ])("%s", async (_, contents, message) => {
    const error = await client.models.generateContent({ model: MODEL, contents }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.stringContaining("INVALID_ARGUMENT") });
    expect(server.requests).toMatchObject([{ outcome: "refused" }]);
  });

  test("for a model of another provider, as not found", async () => {
    const request = client.models.generateContent({ model: "gpt-5", contents: "x" });
    await expect(request).rejects.toMatchObject({ status: 404, message: expect.stringContaining("NOT_FOUND") });
  });

  const send = async (body: object) => {
    const url = `${server.baseUrls.gemini}/models/${MODEL}:generateContent`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    return JSON.stringify(await response.json());
  };

  test("with no content, which the official client would not even send", async () => {
    expect(await send({ contents: [] })).toContain("contents is not specified");
    expect(await send({})).toContain("contents is not specified");
  });

  test("with a field of ours, on the request, a turn or a part", async () => {
    expect(await send({ contents: [QUESTION], ts: 1 })).toContain(String.raw`Unknown name \"ts\": Cannot`);
    expect(await send({ contents: [{ ...QUESTION, ts: 1 }] })).toContain("at 'contents[0]': Cannot");
    expect(await send({ contents: [{ parts: [{ text: "x", ts: 1 }] }] })).toContain("at 'contents[0].parts[0]'");
  });

  test("from version 3 on, where a call of the current turn lost its signature", async () => {
    const ask = (contents: Content[]) => client.models.generateContent({ model: "gemini-3-pro", contents });
    await expect(ask([QUESTION, calling(1), answering(1)])).rejects.toThrow(/missing a thought_signature/);
    await ask([QUESTION, calling(1, { thoughtSignature: "c2ln" }), answering(1)]);
    const ofAnother = Buffer.from("palimpsest signature of another").toString("base64");
    await expect(ask([QUESTION, calling(1, { thoughtSignature: ofAnother }), answering(1)])).rejects.toThrow(
      /not valid/,
    );
    await ask([QUESTION, calling(1), answering(1), QUESTION]);
  });
});

describe("a request is accepted", () => {
  test.each<[string, Content[]]>([
    ["with all calls answered, step after step", [QUESTION, calling(2), answering(2), calling(1), answering(1)]],
    ["with two turns of the user in a row", [QUESTION, QUESTION]],
    ["without a role", [{ parts: [{ text: "x" }] }]],
  ])("%s", async (_, contents) => {
    await client.models.generateContent({ model: MODEL, contents });
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
  });

  test("with fields in snake case", async () => {
    const url = `${server.baseUrls.gemini}/models/${MODEL}:generateContent`;
    const contents = [QUESTION, { role: "model", parts: [{ function_call: { name: "read" } }] }, answering(1)];
    const body = JSON.stringify({ contents, system_instruction: { parts: [{ text: "x" }] } });
    const response = await fetch(url, { method: "POST", body });
    expect(response.status).toBe(200);
  });
});
