import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawDemo, PICTURE_PATH } from "./draw-demo.ts";

test("the picture in the docs shows what the demo does today (else run `npm run picture`)", () => {
  expect(readFileSync(PICTURE_PATH, "utf8")).toBe(drawDemo());
});
