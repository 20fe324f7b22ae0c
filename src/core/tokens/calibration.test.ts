import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type Calibration, calibrate, createCalibration, learn, learnWithDoubt } from "./calibration.ts";

const SIZES = [
  { tokens: 40, blocks: 1 },
  { tokens: 900, blocks: 3 },
  { tokens: 15_000, blocks: 2 },
  { tokens: 220, blocks: 5 },
  { tokens: 3_100, blocks: 1 },
];

function trueTokens({ tokens, blocks }: { readonly tokens: number; readonly blocks: number }): number {
  return 1.3 * tokens + 25 * blocks;
}

function learnAll(start: Calibration, rounds: number): Calibration {
  let calibration = start;
  for (let round = 0; round < rounds; round++) {
    for (const size of SIZES) calibration = learn(calibration, size, trueTokens(size));
  }
  return calibration;
}

describe("calibrate", () => {
  test("counts nothing as nothing, and never below nothing", () => {
    const calibration = { ...createCalibration(), perBlock: -30 };
    expect(calibrate(calibration, { tokens: 0, blocks: 0 })).toBe(0);
    expect(calibrate(calibration, { tokens: 5, blocks: 1 })).toBe(0);
  });

  test("starts from the ratio it is given", () => {
    expect(calibrate(createCalibration(1.6), { tokens: 1_000, blocks: 0 })).toBe(1_600);
  });

  test.each([0, -1, Number.NaN])("refuses a ratio of %d", (ratio) => {
    expect(() => createCalibration(ratio)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("learn", () => {
  test("finds both the ratio and the price of a block", () => {
    const calibration = learnAll(createCalibration(), 10);
    expect(calibration.ratio).toBeCloseTo(1.3, 2);
    expect(Math.abs(calibration.perBlock - 25)).toBeLessThan(2);
  });

  test("follows a tokenizer that changes", () => {
    let calibration = learnAll(createCalibration(), 40);
    for (let i = 0; i < 400; i++) calibration = learn(calibration, { tokens: 2_000, blocks: 1 }, 3_200);
    expect(Math.abs(calibrate(calibration, { tokens: 2_000, blocks: 1 }) - 3_200)).toBeLessThan(32);
  });

  test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])("learns nothing from a report of %d tokens", (reported) => {
    const calibration = createCalibration();
    expect(learn(calibration, { tokens: 100, blocks: 1 }, reported)).toBe(calibration);
    expect(learnWithDoubt(calibration, { tokens: 100, blocks: 1 }, reported)).toBe(calibration);
  });

  test("learns nothing from content that we count as empty", () => {
    const calibration = createCalibration();
    expect(learn(calibration, { tokens: 0, blocks: 1 }, 500)).toBe(calibration);
  });

  test("stays in its bounds whatever it is told", () => {
    const size = fc.record({ tokens: fc.nat(2_000_000), blocks: fc.nat(200) });
    const report = fc.oneof(fc.nat(2_000_000), fc.double());
    fc.assert(
      fc.property(fc.array(fc.tuple(size, report), { maxLength: 60 }), (samples) => {
        let calibration = createCalibration();
        for (const [content, reported] of samples) calibration = learn(calibration, content, reported);
        expect(calibration.ratio).toBeGreaterThanOrEqual(0.25);
        expect(calibration.ratio).toBeLessThanOrEqual(4);
        expect(Number.isFinite(calibrate(calibration, { tokens: 1_000, blocks: 3 }))).toBe(true);
        const { ratio, perBlock, both } = calibration.variance;
        expect(ratio * perBlock).toBeGreaterThan(both ** 2);
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("learnWithDoubt", () => {
  test("a report that cannot be about this content alone changes nothing", () => {
    const calibration = learnAll(createCalibration(), 10);
    const after = learnWithDoubt(calibration, { tokens: 2_000, blocks: 1 }, 20_000);
    expect(after.ratio).toBe(calibration.ratio);
    expect(after.perBlock).toBe(calibration.perBlock);
  });

  test("but when every report says so, it is believed", () => {
    let calibration = createCalibration();
    for (let i = 0; i < 40; i++) calibration = learnWithDoubt(calibration, { tokens: 2_000, blocks: 1 }, 5_600);
    expect(Math.abs(calibrate(calibration, { tokens: 2_000, blocks: 1 }) - 5_600)).toBeLessThan(112);
  });
});
