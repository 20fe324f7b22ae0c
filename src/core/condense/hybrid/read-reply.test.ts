import { expect, test } from "vitest";
import { readHybridReply } from "./read-reply.ts";

const SUMMARY = "## State\nThe rates are done.";

function placesOf(list: string) {
  return readHybridReply(`${SUMMARY}\n\n## Needed\n${list}`).needed;
}

test("a reply without a list is all summary", () => {
  expect(readHybridReply(SUMMARY)).toEqual({ summary: SUMMARY, needed: [] });
  const speaksOfIt = `${SUMMARY}\nNeeded: the rates\n## Needed by Friday`;
  expect(readHybridReply(speaksOfIt)).toEqual({ summary: speaksOfIt, needed: [] });
});

test.each(["## Needed", "### Needed:", "# **Needed**"])("the list under %s is no part of the summary", (heading) => {
  const { summary, needed } = readHybridReply(`${SUMMARY}\n\n${heading}\n\n- \`src/rates.ts: 3-5\`\n`);
  expect(summary).toBe(SUMMARY);
  expect(needed).toEqual([{ path: "src/rates.ts", ranges: [{ first: 3, last: 5 }], names: [] }]);
});

test("only the last list counts", () => {
  const { summary, needed } = readHybridReply(`## Needed\nold\n${SUMMARY}\n## Needed\nopenStore`);
  expect(summary).toBe(`## Needed\nold\n${SUMMARY}`);
  expect(needed).toEqual([{ path: undefined, ranges: [], names: ["openStore"] }]);
});

test("a place is lines of a file, names in a file, or names alone", () => {
  expect(
    placesOf(
      "- `src/a.ts: 120-160, 7, openStore`\n2. src/b.go:476\n* `openStore`, `StoreOptions`\n\ngo test -race ./...",
    ),
  ).toEqual([
    {
      path: "src/a.ts",
      ranges: [
        { first: 120, last: 160 },
        { first: 7, last: 7 },
      ],
      names: ["openStore"],
    },
    { path: "src/b.go", ranges: [{ first: 476, last: 476 }], names: [] },
    { path: undefined, ranges: [], names: ["openStore", "StoreOptions"] },
    { path: undefined, ranges: [], names: ["go test -race ./..."] },
  ]);
});

test("a range may be told backwards, and a path may hold a colon", () => {
  expect(placesOf("C:\\work\\a.ts: 9–4")).toEqual([
    { path: "C:\\work\\a.ts", ranges: [{ first: 4, last: 9 }], names: [] },
  ]);
  expect(placesOf("https://example.com/a, b")).toEqual([
    { path: undefined, ranges: [], names: ["https://example.com/a", "b"] },
  ]);
});

test("a list without an end is cut", () => {
  expect(placesOf("a\n".repeat(1_000))).toHaveLength(60);
  expect(placesOf("a, ".repeat(1_000))[0]?.names).toHaveLength(12);
});
