import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BILL_PATH, drawBill, readBillResult } from "./draw-bill.ts";

test("the picture in the docs shows the kept run of the bench (else run `npx node bench/bill/draw-bill.ts`)", () => {
  expect(readFileSync(BILL_PATH, "utf8")).toBe(drawBill(readBillResult()));
});

test("no name covers another", () => {
  const labels = [
    ...drawBill(readBillResult()).matchAll(
      /<text x="([\d.]+)" y="([\d.]+)" text-anchor="start" class="(?:by-ours)?">([^<]+)/g,
    ),
  ];
  const boxes = labels.map(([, x, y, words = ""]) => ({
    x: Number(x),
    y: Number(y),
    end: Number(x) + 6.6 * words.length,
  }));
  expect(boxes.length).toBeGreaterThan(5);
  for (const [i, one] of boxes.entries()) {
    for (const other of boxes.slice(i + 1)) {
      expect(one.x < other.end && other.x < one.end && Math.abs(one.y - other.y) < 14).toBe(false);
    }
  }
});
