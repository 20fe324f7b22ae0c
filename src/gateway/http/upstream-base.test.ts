import { describe, expect, test } from "vitest";
import { joinPath, readUpstreamBase } from "./upstream-base.ts";

describe("joinPath", () => {
  test.each([
    ["", "/v1/messages", "/v1/messages"],
    ["", "/chat/completions", "/chat/completions"],
    ["/api/v1", "/v1/chat/completions", "/api/v1/chat/completions"],
    ["/api/v1", "/chat/completions", "/api/v1/chat/completions"],
    ["/api/paas/v4", "/v1/chat/completions", "/api/paas/v4/chat/completions"],
    ["/v1beta", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["/v1", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["/v1beta", "/upload/v1beta/files", "/upload/v1beta/files"],
    ["/proxy", "/v1/messages", "/proxy/v1/messages"],
    ["/v1", "/v1x/../v1/models", "/v1x/../v1/models"],
    ["/v1", "/v1", "/v1"],
    ["/v1", "/v1/../../etc", "/v1/../../etc"],
    ["", "//evil.example/v1", "//evil.example/v1"],
  ])("puts %j before %j", (basePath, path, expected) => {
    expect(joinPath(basePath, path)).toBe(expected);
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
