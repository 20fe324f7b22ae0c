import { describe, expect, test } from "vitest";
import { askedRange, timeWeigher } from "./asked-time.ts";

const NEWEST_MS = Date.UTC(2025, 6, 20);
const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date);

describe("the time that a query names", () => {
  test.each([
    ["What did Anna do on 8 May 2024?", day(2024, 5, 8), day(2024, 5, 9)],
    ["What did Anna do on May 8th, 2024?", day(2024, 5, 8), day(2024, 5, 9)],
    ["and on the 3rd of June?", day(2025, 6, 3), day(2025, 6, 4)],
    ["Where was Tom in October 2023?", day(2023, 10, 1), day(2023, 11, 1)],
    ["the trip last May", day(2025, 5, 1), day(2025, 6, 1)],
    ["the trip in September", day(2024, 9, 1), day(2024, 10, 1)],
    ["what happened on 2025-02-03", day(2025, 2, 3), day(2025, 2, 4)],
    ["jobs in 2022", day(2022, 1, 1), day(2023, 1, 1)],
  ])("%s", (query, fromMs, toMs) => {
    expect(askedRange(query, NEWEST_MS)).toEqual({ fromMs, toMs });
  });

  test.each(["you may go", "the march of the ducks", "port 2024", "", "May I?"])("none in: %s", (query) => {
    expect(askedRange(query, NEWEST_MS)).toBeUndefined();
  });
});

test("what was said then, or in the days after, counts more", () => {
  const weigh = timeWeigher("Where was Tom in October 2023?", NEWEST_MS);
  expect(weigh(day(2023, 10, 12))).toBeGreaterThan(1);
  expect(weigh(day(2023, 11, 4))).toBeGreaterThan(1);
  expect(weigh(day(2023, 12, 4))).toBe(1);
  expect(weigh(undefined)).toBe(1);
  expect(timeWeigher("Where was Tom in October 2023?", undefined)(day(2023, 10, 12))).toBe(1);
});
