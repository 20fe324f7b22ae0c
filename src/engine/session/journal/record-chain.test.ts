import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { user } from "../../../../test/support/messages.ts";
import { parseRecord, writeRecord } from "./log-record.ts";
import { EMPTY_CHAIN, extendChain, linkIn, withoutLink } from "./record-chain.ts";

const RECORD = { type: "message", message: user("x") } as const;

test("a head is the SHA-256 of the head before it and the record's bytes", () => {
  const one = extendChain(EMPTY_CHAIN, "a");
  const two = one && extendChain(one, "b");
  const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");
  expect(one).toEqual({ version: 1, head: sha256("\na") });
  expect(two).toEqual({ version: 2, head: sha256(`${sha256("\na")}\nb`) });
});

test("a record carries its link in its body alone, and can be had without", () => {
  const link = { version: 7, head: "h" };
  const { body, record } = writeRecord(RECORD, link);
  expect(linkIn(body)).toEqual(link);
  expect(record).toStrictEqual(RECORD);
  expect(parseRecord(body)).toStrictEqual(RECORD);
  expect(withoutLink(body)).toBe(writeRecord(RECORD).body);
  expect(linkIn(withoutLink(body))).toBeUndefined();
  expect(withoutLink("no JSON")).toBe("no JSON");
});

test.each(['{"chain":7}', '{"chain":{"version":"1","head":"h"}}', '{"chain":{"version":1}}', "[]", "{"])(
  "%s names no head",
  (body) => {
    expect(linkIn(body)).toBeUndefined();
  },
);
