import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import { joinPath as joinPathOf, readUpstreamBase, upstreamsOf } from "./route.ts";

const joinPath = (upstream: string, basePath: string, path: string) => {
  const described = upstreamsOf(WIRE_ADAPTERS).find(({ name }) => name === upstream);
  if (described === undefined) throw new Error(`There is no upstream ${upstream}.`);
  return joinPathOf(described, basePath, path);
};

describe("joinPath", () => {
  test.each([
    ["anthropic", "", "/v1/messages", "/v1/messages"],
    ["openai", "", "/chat/completions", "/chat/completions"],
    ["openai", "", "/v1/chat/completions", "/v1/chat/completions"],
    ["openai", "", "//evil.example/v1", "//evil.example/v1"],
  ] as const)("a server alone: %s %j %j", (upstream, basePath, path, expected) => {
    expect(joinPath(upstream, basePath, path)).toBe(expected);
  });

  test.each([
    ["/v1", "/v1/chat/completions", "/v1/chat/completions"],
    ["/v1", "/chat/completions", "/v1/chat/completions"],
    ["/v1", "/v1/models", "/v1/models"],
    ["/api/v1", "/v1/chat/completions", "/api/v1/chat/completions"],
    ["/api/paas/v4", "/v1/chat/completions", "/api/paas/v4/chat/completions"],
    ["/v1beta/openai", "/v1/chat/completions", "/v1beta/openai/chat/completions"],
    ["/v1beta/openai", "/chat/completions", "/v1beta/openai/chat/completions"],
    ["/api/coding", "/v1/responses", "/api/coding/responses"],
    ["/v1", "/v1x/../v1/models", "/v1/v1x/../v1/models"],
    ["/v1", "/v1", "/v1"],
    ["/v1", "/v1/../../etc", "/v1/../../etc"],
  ])("OpenAI's: %j takes the place of the agent's version in %j", (basePath, path, expected) => {
    expect(joinPath("openai", basePath, path)).toBe(expected);
  });

  test.each([
    ["anthropic", "/proxy", "/v1/messages", "/proxy/v1/messages"],
    ["anthropic", "/api/coding", "/v1/messages/count_tokens", "/api/coding/v1/messages/count_tokens"],
    ["anthropic", "/api/v1", "/v1/messages", "/api/v1/messages"],
    ["anthropic", "/api/v4", "/v1/messages", "/api/v4/messages"],
    ["anthropic", "/v1", "/messages", "/v1/messages"],
    ["gemini", "/google", "/v1beta/models/m:generateContent", "/google/v1beta/models/m:generateContent"],
    ["gemini", "/v1beta", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["gemini", "/v1", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["gemini", "/v1beta", "/upload/v1beta/files", "/upload/v1beta/files"],
  ] as const)("of two versions one stays: %s %j %j", (upstream, basePath, path, expected) => {
    expect(joinPath(upstream, basePath, path)).toBe(expected);
  });
});

describe("readUpstreamBase", () => {
  test("takes the origin and the path, without a slash at the end", () => {
    expect(readUpstreamBase("openai", "https://openrouter.ai/api/v1/")).toEqual({
      origin: "https://openrouter.ai",
      basePath: "/api/v1",
    });
  });

  test.each(["", "api.openai.com", "ftp://files.example", "file:///etc/passwd"])("refuses %j", (url) => {
    expect(() => readUpstreamBase("openai", url)).toThrow(/The upstream "openai" is no URL/);
  });
});
