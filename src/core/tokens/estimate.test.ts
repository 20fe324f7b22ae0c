import { describe, expect, test } from "vitest";
import type { Content } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";
import { estimateTokenCount, estimateTokenCountSync, TOKEN_FUDGE_FACTOR, tiktoken } from "./estimate.ts";

describe("compatibility mode", () => {
  test("multiplies the exact count by the fudge factor and rounds up", () => {
    expect(TOKEN_FUDGE_FACTOR).toBe(1.5);
    expect(countContentTokens("hello")).toBe(1);
    expect(tiktoken("hello")).toBe(2);
    expect(tiktoken([{ type: "text", text: "hello world" }])).toBe(3);
    expect(tiktoken([])).toBe(0);
  });
});

describe("estimating through a handler", () => {
  const content: Content = [{ type: "text", text: "one two three" }];

  test("lets the handler's own counter win", () => {
    expect(estimateTokenCount(content, { countTokens: (given) => given.length + 100 })).toBe(101);
  });

  test("passes on the promise of a handler that asks its provider", async () => {
    const counted = estimateTokenCount(content, { countTokens: () => Promise.resolve(7) });
    expect(counted).toBeInstanceOf(Promise);
    expect(await counted).toBe(7);
  });

  test("keeps the handler as the receiver of the call", () => {
    const handler = {
      tokensPerBlock: 11,
      countTokens(given: Content) {
        return given.length * this.tokensPerBlock;
      },
    };
    expect(estimateTokenCount(content, handler)).toBe(11);
  });

  test("counts exactly where the handler cannot count", () => {
    expect(estimateTokenCount(content, {})).toBe(countContentTokens(content));
  });

  test("says 0 for empty content without asking the handler", () => {
    const handler = {
      countTokens(): number {
        throw new Error("asked");
      },
    };
    expect(estimateTokenCount([], handler)).toBe(0);
    expect(estimateTokenCount("", handler)).toBe(0);
  });
});

describe("the heuristic", () => {
  test.each([
    ["", 0],
    ["abc", 0],
    ["abcd", 1],
    ["a".repeat(1_000), 250],
    ["é", 1],
    ["漢字漢字漢字漢字漢字", 13],
    ["漢".repeat(30), 39],
    ["ab漢", 1],
    ["abc漢", 2],
  ])("estimates %j as %i", (text, tokens) => {
    expect(estimateTokenCountSync(text)).toBe(tokens);
  });

  test("takes a character outside the basic plane for one", () => {
    expect(estimateTokenCountSync("😀".repeat(10))).toBe(13);
  });

  test("rounds the total of all parts, not each part", () => {
    expect(estimateTokenCountSync([{ text: "ab" }, { type: "text", text: "cd" }])).toBe(1);
  });

  test("measures parts without text by their JSON", () => {
    const part = { functionCall: { name: "read", args: { path: "a.ts" } } };
    expect(estimateTokenCountSync([part])).toBe(Math.floor(JSON.stringify(part).length * 0.25));
  });

  test("measures parts that have no JSON and parts that are not objects", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(estimateTokenCountSync([cycle])).toBeGreaterThan(0);
    expect(estimateTokenCountSync([null, undefined, 12n, { text: 5 }])).toBeGreaterThan(0);
  });

  const MEGABYTE = "A".repeat(1_000_000);
  const picture = { inlineData: { mimeType: "image/png", data: "A".repeat(1_000_000) } };
  const answer = (content: unknown) => ({ functionResponse: { name: "shot", response: { content } } });
  const small = (part: unknown) => Math.floor(JSON.stringify(part).length * 0.25);

  test.each([
    ["a picture of a megabyte", picture, 3_000],
    ["a linked picture", { fileData: { mimeType: "IMAGE/jpeg", fileUri: "gs://a/b" } }, 3_000],
    ["a PDF", { inlineData: { mimeType: "application/pdf", data: "JVBERi0" } }, 25_800],
    ["sound", { inlineData: { mimeType: "audio/wav", data: "UklGR" } }, 1_920],
    ["film", { fileData: { mimeType: "video/mp4", fileUri: "gs://a/b" } }, 17_700],
    [
      "a block of another API",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "A" } },
      3_000,
    ],
    ["a picture in an answer", answer([picture]), 3_000 + small(answer([null]))],
    ["a picture of MCP", { type: "image", data: MEGABYTE, mimeType: "image/png" }, 3_000],
    ["sound of MCP", { type: "audio", data: MEGABYTE, mimeType: "audio/wav" }, 1_920],
    [
      "a resource of MCP",
      { type: "resource", resource: { uri: "file:///a", mimeType: "application/pdf", blob: MEGABYTE } },
      25_800,
    ],
    [
      "a picture of Chat Completions",
      { type: "image_url", image_url: { url: `data:image/png;base64,${MEGABYTE}` } },
      3_000,
    ],
    ["a linked picture of Chat Completions", { type: "image_url", image_url: { url: "https://a.test/b" } }, 3_000],
    ["a picture of Responses", { type: "input_image", image_url: `data:image/png;base64,${MEGABYTE}` }, 3_000],
    ["sound of OpenAI", { type: "input_audio", input_audio: { data: MEGABYTE, format: "wav" } }, 1_920],
    [
      "a file of Chat Completions",
      { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${MEGABYTE}` } },
      25_800,
    ],
    ["a file of Responses", { type: "input_file", filename: "a.PDF", file_data: MEGABYTE }, 25_800],
    ["a file of the AI SDK", { type: "file", data: MEGABYTE, mediaType: "application/pdf" }, 25_800],
    ["bytes of the AI SDK", { type: "file", data: new Uint8Array(1_000), mediaType: "image/png" }, 3_000],
    ["a picture of the AI SDK", { type: "image", image: MEGABYTE }, 3_000],
    ["a linked picture of Anthropic", { type: "image", source: { type: "url", url: "https://a.test/b" } }, 3_000],
    [
      "a picture in a result of MCP",
      answer({ content: [{ type: "image", data: MEGABYTE, mimeType: "image/png" }] }),
      3_000 + small(answer({ content: [null] })),
    ],
    ["a link to a picture by its JSON", { type: "resource_link", uri: "file:///a.png", mimeType: "image/png" }, 17],
    ["a medium of another kind by its JSON", { inlineData: { mimeType: "text/csv", data: "AAAA" } }, 13],
  ])("counts %s", (_, part, tokens) => {
    expect(estimateTokenCountSync([part])).toBe(tokens);
  });

  const deep = (value: unknown, levels: number) => {
    let nested = value;
    for (let depth = 0; depth < levels; depth++) nested = [nested];
    return nested;
  };

  test("counts media up to 32 levels deep by their kind, deeper ones as text", () => {
    expect(estimateTokenCountSync([deep(picture, 32)])).toBe(3_000 + small(deep(null, 32)));
    expect(estimateTokenCountSync([deep(picture, 33)])).toBeGreaterThan(250_000);
    expect(estimateTokenCountSync([deep(picture, 50_000)])).toBeGreaterThan(200_000);
  });

  test("counts a picture by its kind also beside what is nested without end", () => {
    const nested = deep("a", 50_000);
    const tokens = estimateTokenCountSync([[picture, { picture, nested }]]);
    expect(tokens).toBe(6_000 + estimateTokenCountSync([[null, { nested }]]));
    let wrapped: unknown = "a";
    for (let depth = 0; depth < 50_000; depth++) wrapped = { source: wrapped };
    expect(estimateTokenCountSync([wrapped])).toBeGreaterThan(100_000);
  });

  test("an object that holds itself is looked at once", () => {
    const cycle: { self?: unknown; picture: unknown } = { picture };
    cycle.self = cycle;
    expect(estimateTokenCountSync([cycle])).toBeLessThan(4_000);
  });
});
