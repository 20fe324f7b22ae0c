import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { billFigures } from "./bill-figures.ts";
import { readBillResult } from "./draw-bill.ts";

const FIGURES = readFileSync(resolve(import.meta.dirname, "../../docs/figures.md"), "utf8");

test.each(billFigures(readBillResult()).map((table) => [table.split(" |")[0], table]))(
  "docs/figures.md has the kept run of the bench: %s (else run `npx node bench/bill/bill-figures.ts`)",
  (_, table) => {
    expect(FIGURES).toContain(table);
  },
);
