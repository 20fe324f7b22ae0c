import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { readInjectedText } from "./injected-text.ts";

describe("what is never closed", () => {
  test("is no part, and takes none of what follows with it", () => {
    const text = "<mode_changed_notice>\n<skill>\nSail.\n</skill>\n<mode_changed_notice>\n<skill>\nRow.\n</skill>";
    expect(readInjectedText(text, "said").parts.map((part) => part.text)).toEqual([
      "<skill>\nSail.\n</skill>",
      "<skill>\nRow.\n</skill>",
    ]);
    const file = (path: string, rest: string) => `--- Context from: ${path} ---\nKeep quiet.\n${rest}\n`;
    const files = [file("a.md", ""), file("b.md", "--- End of Context from: b.md ---")].join("");
    expect(readInjectedText(files, "returned").parts.map(({ key }) => key)).toEqual(["instructions:b.md"]);
  });

  // quadratic time would be minutes
  test.each([
    ["elements", Array.from({ length: 200_000 }, () => "<mode_changed_notice>\n"), "said"],
    ["sections", Array.from({ length: 200_000 }, (_, at) => `--- Context from: /a/${at}.md ---\n`), "returned"],
  ] as const)("is passed over in linear time: %s", (_, lines, place) => {
    const text = lines.join("");
    expect(cpuTimeMs(() => readInjectedText(text, place))).toBeLessThan(10_000);
  });
});
