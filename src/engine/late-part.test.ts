import { expect, test } from "vitest";
import { latePart } from "./late-part.ts";

test("loads a part once, when it is first asked for", async () => {
  let loads = 0;
  const part = latePart(async () => {
    loads += 1;
    return { loads };
  });
  expect(loads).toBe(0);
  expect(await Promise.all([part(), part()])).toEqual([{ loads: 1 }, { loads: 1 }]);
  expect(await part()).toBe(await part());
});

test("tries a part again that could not be loaded", async () => {
  let tries = 0;
  const part = latePart(async () => {
    tries += 1;
    if (tries === 1) throw new Error("The network is down.");
    return "loaded";
  });
  await expect(part()).rejects.toThrow("The network is down.");
  expect(await part()).toBe("loaded");
});
