import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { picture } from "../../../test/support/media.ts";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { type ExpandedPage, expandPage } from "./expand-page.ts";

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line} of the file\n`).join("");

function pagesOf(whole: readonly Message[], budgetTokens: number): readonly ExpandedPage[] {
  const pages: ExpandedPage[] = [];
  let from: string | undefined;
  do {
    const page = expandPage(whole, { budgetTokens, from, countTokens: countContentTokens });
    pages.push(page);
    from = page.next;
    expect(pages.length).toBeLessThan(10_000);
  } while (from !== undefined);
  return pages;
}

/** All that was said, one text after the other. */
function said(messages: readonly Message[]): string {
  const textOf = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map(textOf).join("");
    if (typeof value !== "object" || value === null) return "";
    if ("text" in value) return textOf(value.text);
    return "content" in value ? textOf(value.content) : "";
  };
  return messages.map(({ content }) => textOf(content)).join("");
}

describe("pages", () => {
  test("hold whole messages, as they were, as long as these fit", () => {
    const whole = log(user("one"), assistant("two"), user("three"));
    const [page, ...others] = pagesOf(whole, 100);
    expect(page?.messages).toEqual(whole);
    expect(page?.tokens).toBe(page?.totalTokens);
    expect(others).toEqual([]);
  });

  test("of one message that is too large for any of them hold parts of it, cut behind lines", () => {
    const whole = log(user(lines(1_000)));
    const pages = pagesOf(whole, 500);
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.every(({ tokens }) => tokens <= 500)).toBe(true);
    const parts = pages.map(({ messages }) => said(messages));
    expect(parts.every((part) => part.endsWith("\n"))).toBe(true);
    expect(parts.join("")).toBe(lines(1_000));
    expect(new Set(pages.map(({ totalTokens }) => totalTokens)).size).toBe(1);
  });

  test("keep a part of a result the result of its call", () => {
    const whole = log(user(result("t1", lines(200)), text("and?")));
    const pages = pagesOf(whole, 300);
    expect(pages[0]?.messages[0]?.content).toMatchObject([{ type: "tool_result", tool_use_id: "t1" }]);
    expect(pages.map(({ messages }) => said(messages)).join("")).toBe(`${lines(200)}and?`);
  });

  test("show a call that is too large as the text of its arguments", () => {
    const whole = log(assistant(call("t1", "write_file", { path: "a.ts", content: lines(200) })));
    const pages = pagesOf(whole, 300);
    const written = pages.map(({ messages }) => said(messages)).join("");
    expect(JSON.parse(written)).toEqual({ path: "a.ts", content: lines(200) });
  });

  test("hold what cannot be cut alone, whatever its size", () => {
    const whole = log(user(text("see"), picture(30_000), text("there")));
    const pages = pagesOf(whole, 100);
    expect(pages.map(({ messages }) => messages[0]?.content)).toMatchObject([
      [{ type: "text", text: "see" }],
      [{ type: "image" }],
      [{ type: "text", text: "there" }],
    ]);
  });

  test.each(["", "x", "9.0.0", "0.9.0", "0.0.99", "-1.0.0"])("do not go on from %j", (from) => {
    const options = { budgetTokens: 100, from, countTokens: countContentTokens };
    expect(() => expandPage(log(user("one")), options)).toThrow(/options.from is .*what the page before gave as next/);
  });

  test("of any size say all of it, in order, and stay within their budget", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.integer({ min: 1, max: 60 }).map(lines),
      fc.integer({ min: 1, max: 500 }).map((length) => "😀".repeat(length)),
    );
    const message = fc.oneof(
      piece.map((each) => user(each)),
      fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => user(...pieces.map((each) => text(each)))),
      fc.tuple(piece, piece).map(([one, other]) => user({ ...result("t1"), content: [text(one), text(other)] })),
    );
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 600 }),
        (whole, budget) => {
          const pages = pagesOf(whole, budget);
          expect(pages.filter(({ tokens }) => tokens > budget)).toEqual([]);
          // The items of a result that is cut become lines of one text.
          const joined = pages.map(({ messages }) => said(messages)).join("");
          expect(joined.replaceAll("\n", "")).toBe(said(whole).replaceAll("\n", ""));
          expect(pages.slice(0, -1).some(({ messages }) => messages.length === 0)).toBe(false);
        },
      ),
      PROPERTY_RUNS,
    );
  });
});
