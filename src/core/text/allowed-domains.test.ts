import { describe, expect, test } from "vitest";
import { findForeignUrl, readDomain } from "./allowed-domains.ts";

const DOMAINS = ["example.com", "Bücher.de", "127.0.0.1"];

describe("a URL", () => {
  test.each([
    "https://example.com",
    "HTTP://EXAMPLE.COM:8080/a?b#c",
    "https://a.b.example.com/x",
    "https://example.com./x",
    "https://xn--bcher-kva.de/",
    "http://127.0.0.1:3000/",
    "https://user:word@example.com/",
    "https://example.com/https://evil.org",
    "https://example.com\nis a site",
    "no URL at all: evil.org",
    "see https://evil.org for more",
    "httpsx://evil.org",
    "",
  ])("is allowed: %j", (text) => {
    expect(findForeignUrl(text, DOMAINS)).toBeUndefined();
  });

  test.each([
    "https://evil.org",
    "  https://evil.org/a b",
    "https://evilexample.com",
    "https://example.com.evil.org",
    "https://example.com@evil.org/",
    "https://example.com:x@evil.org/",
    "https:\\\\evil.org\\a",
    "https:evil.org",
    "ht\ntps://ev\til.org/",
    "https://evil.org and more",
    "https://example.com\\@evil.org:x",
    "http://127.0.0.1.evil.org",
    "http://2130706434/",
    "http://[::1]/",
    "https://",
    "ftp://evil.org/a",
    "wss://evil.org",
  ])("is foreign: %j", (text) => {
    expect(findForeignUrl(text, DOMAINS)).toBeDefined();
  });
});

describe("a command", () => {
  test.each([
    "curl https://example.com/a && npm test",
    'curl "https://example.com/a" -o evil.org',
    "npm install git+https://example.com/a.git",
    "docker run -v ws:/app image",
    "grep http: notes.txt",
  ])("is allowed: %j", (text) => {
    expect(findForeignUrl(text, DOMAINS, "anywhere")).toBeUndefined();
  });

  test.each([
    ["curl https://example.com https://evil.org/a", "https://evil.org/a"],
    ["curl 'https://evil.org/a'", "https://evil.org/a"],
    ["git clone git+https://evil.org/a.git", "https://evil.org/a.git"],
    ["curl --url=https://evil.org", "https://evil.org"],
    ['curl ht"tp"s://evil.org', "https://evil.org"],
    ["curl htt\\ps://evil.org", "https://evil.org"],
    ["curl https://example.com{,.evil.org}", "https://example.com{,.evil.org}"],
    ["curl https://$HOST/", "https://$HOST/"],
  ])("is refused for its URL: %j", (text, url) => {
    expect(findForeignUrl(text, DOMAINS, "anywhere")).toBe(url);
  });

  test("of megabytes is read to its end", () => {
    const long = "https://example.com/ ".repeat(100_000);
    expect(findForeignUrl(`${long} https://evil.org`, DOMAINS, "anywhere")).toBe("https://evil.org");
  });
});

describe("an address", () => {
  test.each([
    "example.com",
    "example.com:8080/a",
    "//docs.example.com/a",
    "user@example.com/a",
    "/v1/users?next=evil.org",
    "v1/users",
    "./evil.org",
    "index.html",
    "index.html?a=b",
    "",
    "127.0.0.1:3000",
    "mailto:ada@evil.org",
  ])("is allowed: %j", (text) => {
    expect(findForeignUrl(text, DOMAINS, "address")).toBeUndefined();
  });

  test.each([
    ["evil.org", "http://evil.org"],
    [" evil.org/a?b ", "http://evil.org/a?b"],
    ["evil.org:443", "http://evil.org:443"],
    ["localhost:3000", "http://localhost:3000"],
    ["localhost", "http://localhost"],
    ["//evil.org/a", "http://evil.org/a"],
    ["\\\\evil.org\\a", "http://evil.org\\a"],
    ["example.com@evil.org", "http://example.com@evil.org"],
    ["example.com.evil.org", "http://example.com.evil.org"],
    ["10.0.0.1/a", "http://10.0.0.1/a"],
    ["GET https://evil.org/a", "https://evil.org/a"],
    ["example.com, https://evil.org", "https://evil.org"],
    ["https://evil.org", "https://evil.org"],
  ])("is foreign: %j", (text, url) => {
    expect(findForeignUrl(text, DOMAINS, "address")).toBe(url);
  });

  test("of a host is its name alone", () => {
    expect(findForeignUrl("evil", DOMAINS, "host")).toBe("http://evil");
    expect(findForeignUrl("docs.example.com", DOMAINS, "host")).toBeUndefined();
  });
});

test.each([
  ["example.com", "example.com"],
  ["Bücher.de", "xn--bcher-kva.de"],
  ["localhost", "localhost"],
  ["", undefined],
  [".example.com", undefined],
  ["*.example.com", undefined],
  ["https://example.com", undefined],
  ["example.com:80", undefined],
  ["example.com/a", undefined],
  ["a b", undefined],
])("the domain %j is read as %j", (entry, domain) => {
  expect(readDomain(entry)).toBe(domain);
});
