import { describe, expect, test } from "vitest";
import { replyHeaders, requestHeaders } from "./headers.ts";

describe("headers of a request", () => {
  test("go on verbatim: their case, their order, and those that come twice", () => {
    const raw = ["X-Api-Key", "k", "anthropic-beta", "a, b ,c", "anthropic-beta", "d", "Accept", "*/*"];
    expect(requestHeaders(raw, "unchanged")).toEqual(raw);
  });

  test("stay behind where they are of the connection, of the host, or ours", () => {
    const raw = [
      ...["Host", "127.0.0.1:7717", "Connection", "keep-alive, X-Hop", "X-Hop", "1", "Keep-Alive", "timeout=5"],
      ...["TE", "trailers", "Trailer", "x", "Transfer-Encoding", "chunked", "Upgrade", "h2c", "Expect", "100-continue"],
      ...["Proxy-Authorization", "p", "Proxy-Connection", "close", "Content-Length", "3", "X-Palimpsest-Token", "t"],
      ...["x-palimpsest-session", "s", "authorization", "Bearer key"],
    ];
    expect(requestHeaders(raw, "unchanged")).toEqual(["authorization", "Bearer key"]);
  });

  test("say nothing of the old body once it was changed", () => {
    const raw = ["content-encoding", "zstd", "Content-MD5", "x", "content-type", "application/json"];
    expect(requestHeaders(raw, "changed")).toEqual(["content-type", "application/json"]);
    expect(requestHeaders(raw, "unchanged")).toEqual(raw);
  });
});

describe("headers of a reply", () => {
  test("come back verbatim with ours, which replace those of another gateway behind", () => {
    const raw = ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Palimpsest-Folds", "9", "Content-Length", "2"];
    expect(replyHeaders(raw, { "x-palimpsest-folds": "1" })).toEqual([
      ...["Set-Cookie", "a=1", "Set-Cookie", "b=2", "Content-Length", "2"],
      ...["x-palimpsest-folds", "1"],
    ]);
  });

  test("lose what belongs to the other connection", () => {
    expect(
      replyHeaders(["Connection", "close", "Keep-Alive", "timeout=5", "Transfer-Encoding", "chunked"], {}),
    ).toEqual([]);
  });
});
