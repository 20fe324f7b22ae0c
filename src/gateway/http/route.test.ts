import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import { createRouter } from "./route.ts";

const routeOf = createRouter(WIRE_ADAPTERS);

const route = (path: string, headers = {}, method = "POST") => {
  const { api, upstream } = routeOf(method, path, headers);
  return `${api ?? "-"} ${upstream.name}`;
};

describe("routeOf", () => {
  test.each([
    ["/v1/messages", "anthropic anthropic"],
    ["/v1/messages/count_tokens", "anthropic anthropic"],
    ["/v1/messages/", "anthropic anthropic"],
    ["/anthropic/v1/messages", "anthropic anthropic"],
    ["/v1/chat/completions", "openai-chat openai"],
    ["/chat/completions", "openai-chat openai"],
    ["/v1/responses", "openai-responses openai"],
    ["/responses", "openai-responses openai"],
    ["/v1beta/models/gemini-2.5-pro:generateContent", "gemini gemini"],
    ["/v1beta/models/gemini-2.5-pro:streamGenerateContent", "gemini gemini"],
    ["/v1/models/gemini-2.5-pro:countTokens", "gemini gemini"],
    ["/v1beta/openai/chat/completions", "openai-chat gemini"],
  ])("lets an adapter look at a POST of %s", (path, expected) => {
    expect(route(path)).toBe(expected);
  });

  test.each([
    ["/v1/messages/batches", "- anthropic"],
    ["/v1/responses/resp_1/cancel", "- openai"],
    ["/v1/threads/thread_1/messages", "- openai"],
    ["/v1/embeddings", "- openai"],
    ["/v1/models/text-embedding-004:embedContent", "- gemini"],
    ["/v1/models/text-embedding-004:batchEmbedContents", "- gemini"],
    ["/upload/v1beta/files", "- gemini"],
    ["/v1alpha/cachedContents", "- gemini"],
  ])("forwards %s untouched", (path, expected) => {
    expect(route(path)).toBe(expected);
  });

  test("reads no conversation in anything but a POST", () => {
    expect(route("/v1/chat/completions", {}, "GET")).toBe("- openai");
    expect(route("/v1/messages", {}, "OPTIONS")).toBe("- anthropic");
  });

  test("tells the upstream of shared paths by the headers of its clients", () => {
    expect(route("/v1/models", {}, "GET")).toBe("- openai");
    expect(route("/v1/models", { "anthropic-version": "2023-06-01" }, "GET")).toBe("- anthropic");
    expect(route("/v1/files", { "anthropic-beta": "files-api-2025-04-14" })).toBe("- anthropic");
    expect(route("/v1/models", { "x-goog-api-key": "key" }, "GET")).toBe("- gemini");
  });

  test("sends a chat completion to OpenAI's upstream whatever else its client sends along", () => {
    expect(route("/v1/chat/completions", { "anthropic-beta": "x" })).toBe("openai-chat openai");
  });
});
