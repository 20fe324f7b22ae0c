import { describe, expect, test } from "vitest";
import { shareOut } from "./clip-share.ts";

const whole = (most: number) => ({ least: 0, most });

describe("shareOut", () => {
  test("gives all what they wish when there is room", () => {
    expect(shareOut([whole(10), whole(20)], 30)).toEqual([10, 20]);
  });

  test("keeps small parts whole and cuts the largest to one level", () => {
    expect(shareOut([whole(100), whole(10), whole(70)], 110)).toEqual([50, 10, 50]);
  });

  test("goes below no least, and lets the others pay for it", () => {
    expect(shareOut([{ least: 40, most: 100 }, whole(100)], 60)).toEqual([40, 20]);
  });

  test("gives each its least when the budget is too small", () => {
    expect(
      shareOut(
        [
          { least: 5, most: 9 },
          { least: 3, most: 50 },
        ],
        -1,
      ),
    ).toEqual([5, 3]);
  });

  test("shares nothing among nobody", () => {
    expect(shareOut([], 10)).toEqual([]);
  });
});

test("sizes that are no whole numbers are shared too", () => {
  const wishes = [1.5, 3.5, 2.25].map((most) => ({ least: 0.5, most }));
  expect(shareOut(wishes, 6)).toEqual([1.5, 2, 2]);
  expect(shareOut(wishes, 7.25)).toEqual([1.5, 3.5, 2.25]);
});
