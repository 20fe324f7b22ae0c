import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { strataOf } from "../src/engine/session/requests/session-strata.ts";
import { pictureInputs } from "./picture-inputs.ts";
import { ANIMATION_SECONDS, drawStrataAnimation, replayDemo } from "./strata-animation.ts";

const kept = readFileSync(resolve(import.meta.dirname, "../docs/images/strata-animated.svg"), "utf8");
const replayed = await replayDemo();

test("the animated picture in docs is drawn from today's demo", async () => {
  expect(await drawStrataAnimation(replayed), "run npm run screenshot").toBe(kept);
});

test("the screenshot in the guide was drawn from today's demo and today's page", async () => {
  const inputs = readFileSync(resolve(import.meta.dirname, "../docs/images/strata.inputs"), "utf8").trim();
  expect(await pictureInputs(replayed), "run npm run screenshot").toBe(inputs);
});

test("it is well-formed, under 1 MB, runs no script, asks for nothing and stands still for who wants that", () => {
  expect(XMLValidator.validate(kept)).toBe(true);
  expect(kept.length).toBeLessThan(1_000_000);
  expect(kept).not.toMatch(/<script|href|url\(/);
  expect(kept).toContain(`${ANIMATION_SECONDS}s`);
  expect(kept).toContain("prefers-reduced-motion");
});

test("each request has a caption and a bar, each fold a line where the hidden rows begin", async () => {
  const { svg } = new XMLParser({ ignoreAttributes: false }).parse(kept);
  const folds: readonly Record<string, string>[] = svg.path.filter(
    (path: Record<string, string>) => path["@_class"] === "fold",
  );
  expect(folds).toHaveLength(replayed.result.foldedTurns.length);
  expect(kept.match(/request \d+: /g)).toHaveLength((await strataOf(replayed.session)).requests.length);
  const [hidden] = svg.path.filter((path: Record<string, string>) => path["@_class"] === "hidden");
  const begins = new Set([...String(hidden["@_d"]).matchAll(/M(\d+) /g)].map(([, x]) => x));
  const lines = new Set(folds.map(({ "@_d": d = "" }) => /^M(\d+) /.exec(d)?.[1]));
  expect(begins).toEqual(lines);
});
