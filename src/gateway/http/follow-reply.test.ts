import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type ContentCoding, codingOf } from "./content-coding.ts";
import { followReply } from "./follow-reply.ts";

function follow(coding: ContentCoding, { maxTextLength = 1_000_000, push = (_: string) => {} } = {}) {
  const told: string[] = [];
  const thrown: unknown[] = [];
  const lost: string[] = [];
  const following = followReply({
    follower: {
      push: (text) => {
        push(text);
        told.push(text);
      },
      stage: () => "speaking",
      failure: () => undefined,
      usage: () => undefined,
    },
    coding,
    maxTextLength,
    onFollowed: () => {},
    onThrown: (error) => thrown.push(error),
    onLost: () => lost.push("lost"),
  });
  return { following, told, thrown, lost };
}

const TEXT = "data: grüße 🦄\n\n".repeat(2_000);

describe("a reply that is followed", () => {
  test.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["identity", (bytes) => bytes],
    ["", (bytes) => bytes],
  ])("as %j is told as text, in pieces of any size", async (header, encode) => {
    const { following, told } = follow(codingOf(header));
    const bytes = encode(Buffer.from(TEXT));
    for (let at = 0; at < bytes.length; at += 7) following.push(bytes.subarray(at, at + 7));
    await following.end();
    expect(told.join("")).toBe(TEXT);
  });

  test.each(["gzip", "deflate", "br", "zstd"] as const)("as %s and is not, is given up", async (coding) => {
    const { following, told, lost } = follow(coding);
    for (let round = 0; round < 5; round += 1) following.push(Buffer.from("this is plain text"));
    await following.end();
    expect(told.join("")).not.toContain("plain");
    expect(lost).toContain("lost");
  });

  test("in an unknown coding, or without a byte, ends too", async () => {
    for (const coding of ["unknown", "gzip", "identity"] as const) {
      const { following, told } = follow(coding);
      if (coding === "unknown") following.push(Buffer.from("x"));
      await following.end();
      expect(told).toEqual([]);
    }
  });

  test("is told no more than what may be kept", async () => {
    const { following, told } = follow("identity", { maxTextLength: 10 });
    for (let round = 0; round < 5; round += 1) following.push(Buffer.from("1234"));
    await following.end();
    expect(told).toEqual(["1234", "1234"]);
  });

  test("is told nothing after its follower threw", async () => {
    const push = () => {
      throw new Error("broken");
    };
    const { following, told, thrown } = follow("identity", { push });
    following.push(Buffer.from("a"));
    following.push(Buffer.from("b"));
    await following.end();
    expect([told, thrown.length]).toEqual([[], 1]);
  });
});
