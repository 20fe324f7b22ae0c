import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { bar, sparkline, sparklineColumn } from "./bar.ts";
import { cutMiddle, cutToWidth, displayWidth, fitWidth } from "./display-width.ts";
import { formatCount, formatShare, parseCount } from "./numbers.ts";
import { columnsOf, styleFor } from "./output.ts";
import { oneLine, safeText } from "./safe-text.ts";
import { renderTable } from "./table.ts";

describe("widths", () => {
  test("wide characters take two columns, marks none", () => {
    expect([displayWidth("abc"), displayWidth("日本"), displayWidth("e\u0301"), displayWidth("🚀")]).toEqual([
      3, 4, 1, 2,
    ]);
  });

  test("a text is cut or filled to exactly the columns that it has", () => {
    expect(fitWidth("a long text", 6)).toBe("a lon…");
    expect(fitWidth("日本語", 4)).toBe("日… ");
    expect(fitWidth("7", 3, "right")).toBe("  7");
    for (const columns of [0, 1, 2, 5, 9]) {
      expect(displayWidth(fitWidth("日本語 and more", columns))).toBe(columns);
      expect(displayWidth(cutMiddle("日本語 and more", columns))).toBeLessThanOrEqual(columns);
    }
  });

  test("a path keeps both of its ends", () => {
    expect(cutMiddle("read src/one/two/three.ts", 15)).toBe("read sr…hree.ts");
  });

  test("a text of any length is cut at once", () => {
    const text = "x".repeat(50_000_000);
    expect(cpuTimeMs(() => expect(cutToWidth(text, 10)).toBe("xxxxxxxxx…"))).toBeLessThan(1_000);
  });
});

describe("bars", () => {
  test("are as long as the share, and visible where there is anything", () => {
    expect([bar(0, 8), bar(0.5, 8), bar(1, 8), bar(0.0001, 8), bar(7, 8)]).toEqual([
      "",
      "████",
      "████████",
      "▏",
      "████████",
    ]);
  });

  test("a sparkline shows each value, or the largest of each group where they are too many", () => {
    expect(sparkline([0, 50, 100], 10)).toBe("▁▅█");
    expect(sparkline([0, 100, 0, 0, 0, 50], 3)).toBe("█▁▅");
    expect(sparkline([], 10)).toBe("");
    expect(sparkline([0, 0], 10)).toBe("▁▁");
    expect(sparkline(Array(1_000).fill(1), 40)).toHaveLength(40);
    expect([sparklineColumn(999, 1_000, 40), sparklineColumn(3, 5, 40)]).toEqual([39, 3]);
  });
});

describe("numbers", () => {
  test("are written with separators; a small share is not nothing", () => {
    expect([formatCount(127_660.4), formatShare(0.476), formatShare(0.001), formatShare(0)]).toEqual([
      "127,660",
      "48 %",
      "< 1 %",
      "0 %",
    ]);
  });

  test("are read as people write them", () => {
    expect(["8000", "8_000", "8,000", "8k", "8K", "1.5m", " 7 "].map(parseCount)).toEqual([
      8_000, 8_000, 8_000, 8_000, 8_000, 1_500_000, 7,
    ]);
    for (const text of ["", "k", "8kk", "-1", "1.5", "0x10", "1e3", "8 000", "9".repeat(30)]) {
      expect(parseCount(text)).toBeUndefined();
    }
  });
});

describe("text from a session", () => {
  test("cannot steer the terminal", () => {
    expect(safeText("a\x1b]0;title\x07b\x9b2Jc\u202ed\x7f\r\nnext\tcell")).toBe(
      "a␛]0;title␇b\u{fffd}2Jc\u{fffd}d\u{fffd}\nnext\tcell",
    );
  });

  test("stays on its line in a table", () => {
    expect(oneLine("  one\n\ttwo\u2028three ")).toBe("one two three");
  });
});

test("a table is as wide as it needs to be and never wider than the screen", () => {
  const columns = [
    { title: "times", align: "right" },
    { title: "call", align: "left" },
  ] as const;
  expect(
    renderTable(
      columns,
      [
        ["12", "read a.ts"],
        ["3", "run a very long command"],
      ],
      24,
    ),
  ).toEqual(["  times  call", "     12  read a.ts", "      3  run a very lon…"]);
});

test("colours are for terminals whose owner wants them", () => {
  const terminal = { isTTY: true, columns: 80, write: () => true };
  expect(styleFor(terminal, {}).heading("x")).toBe("\x1b[1mx\x1b[22m");
  expect(styleFor(terminal, { NO_COLOR: "" }).heading("x")).toBe("\x1b[1mx\x1b[22m");
  for (const environment of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
    expect(styleFor(terminal, environment).heading("x")).toBe("x");
  }
  expect(styleFor({ write: () => true }, {}).heading("x")).toBe("x");
  expect([columnsOf(terminal), columnsOf({ write: () => true }), columnsOf({ ...terminal, columns: 7 })]).toEqual([
    80, 100, 40,
  ]);
});
