import { expect, test } from "vitest";
import { predictedMissText, reportedMissText } from "./cache-miss.ts";

test("the provider's reason is told in words and as it was written", () => {
  expect(reportedMissText({ reason: "tools_changed", missedTokens: 12_345 })).toBe(
    "the tools changed (tools_changed), and about 12,345 tokens were missed by it",
  );
  expect(reportedMissText({ reason: "toString" })).toBe("toString");
});

test("our prediction names the byte, the part and who changed it", () => {
  expect(predictedMissText({ part: "messages", byte: 4_096, cause: "gateway" })).toBe(
    "byte 4,096, in a message, changed by a fold of ours",
  );
  expect(predictedMissText(undefined)).toContain("nothing changed");
});
