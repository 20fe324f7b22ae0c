import { describe, expect, test } from "vitest";
import { createNameWatch, namesIn } from "./names.ts";

describe("namesIn", () => {
  test("finds paths, symbols and hashes, and no plain words", () => {
    const text =
      "Please read src/auth/login.ts, then call refreshToken() in b8a609f7 (retry_count = 0.25). Use try/catch.";
    expect([...namesIn(text)]).toEqual(["src/auth/login.ts", "refreshToken", "b8a609f7", "retry_count"]);
  });

  test("takes an expression apart", () => {
    expect([...namesIn("session.tokenRatio.toFixed(2)")]).toEqual(["tokenRatio", "toFixed"]);
  });
});

describe("createNameWatch", () => {
  const said = { role: "user", content: "The cause is in readSession, file src/store/open.ts." } as const;
  const reply = {
    role: "assistant",
    content: [
      { type: "tool_use", id: "1", name: "Edit", input: { path: "src/store/open.ts", old: "readSession newName" } },
    ],
  } as const;

  test("counts what a reply used of what had been said, and what its view no longer showed", () => {
    const watch = createNameWatch();
    watch.said([said]);
    watch.answered([{ role: "user", content: "See src/store/open.ts." }], reply);
    expect([watch.needed, watch.lost]).toEqual([2, 1]);
  });

  test("counts nothing as lost where all is shown, or was never said", () => {
    const watch = createNameWatch();
    watch.answered([], reply);
    watch.said([said]);
    watch.answered([said], reply);
    expect([watch.needed, watch.lost]).toEqual([2, 0]);
  });

  test("sees a name inside a longer word of a stand-in", () => {
    const watch = createNameWatch();
    watch.said([said]);
    watch.answered([{ role: "user", content: "at /home/me/src/store/open.ts:12 and xreadSessionx" }], reply);
    expect(watch.lost).toBe(0);
  });
});
