import { expect, test } from "vitest";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import { getEffectiveApiHistory } from "../message/effective-view.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { capStanding } from "./clip-standing.ts";

const skills = Array.from({ length: 120 }, (_, index) => `- skill ${index}: does the work of kind ${index}`).join("\n");
const session = log(
  user(
    text(`<system-reminder>\nThe following skills are available:\n${skills}\n</system-reminder>`),
    text("Never touch src/billing.ts. Add up the rates."),
  ),
  assistant(call("c1", "Read", { file_path: "src/rates.ts" })),
  user(result("c1", "export const rates = [];")),
);
const shown = (allowedTokens: number) =>
  JSON.stringify(
    getEffectiveApiHistory(
      capStanding(session, { allowedTokens, countTokens: countContentTokens, taskId: "" }).messages,
    ),
  );

test("lists and reminders are clipped where what binds takes more than a fifth, and what the person said is not", () => {
  const clipped = shown(4_000);
  expect(clipped).not.toContain("skill 60:");
  expect(clipped).toContain("Never touch src/billing.ts. Add up the rates.");
});

test("they stay whole where there is room", () => {
  expect(shown(20_000)).toContain("skill 60:");
});
