import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { assistant, log, user } from "../../../test/support/messages.ts";
import { type SummaryQualityOptions, summaryQualityValidator } from "./summary-quality.ts";

const GOOD =
  "The user wants an importer for bank statements. We wrote the parser, found that dates were read in the wrong " +
  "order, and fixed it. The tests pass. Next comes the export of yearly totals, which has not been started.";

const LAST =
  "Could you now please look at the yearly totals and write an export for them that our accountant can open?";

const longTalk = Array.from({ length: 40 }, (_, index) =>
  assistant(`Step ${index} of the importer is done and was tested.`),
);
const view = log(user("Build an importer."), ...longTalk, user(LAST));

function judge(summary: string, options?: SummaryQualityOptions) {
  return summaryQualityValidator(options).validate(
    view,
    [...view.slice(0, 1), assistant(summary), ...view.slice(-1)],
    summary,
  );
}

describe("summaryQualityValidator", () => {
  test("accepts a plain summary, in any form and language", () => {
    expect(judge(GOOD)).toEqual({ isValid: true, issues: [], score: 1 });
    const chinese =
      "用户想要一个银行对账单导入程序。我们写了解析器，发现日期顺序读错，已经修复，测试通过。下一步是导出年度总额，尚未开始。";
    expect(judge(chinese).isValid).toBe(true);
  });

  test.each(["", " \n\t ", "…", "---\n***", "\u200b\u200b", "\ud800"])("refuses a blank one: %j", (summary) => {
    expect(judge(summary)).toEqual({ isValid: false, issues: ["The summary is blank."], score: 0 });
  });

  test.each([
    "I'm sorry, but I can't assist with that request because it goes on for far too long for me to read it.",
    "**I cannot** summarise this conversation, since it holds material that I am not allowed to work with at all.",
    "I’m unable to help with this. Please give me the text that you would like me to summarise and I will try.",
    "Es tut mir leid, aber ich kann dieses Gespräch leider nicht zusammenfassen, weil mir dazu die Angaben fehlen.",
    "很抱歉，我无法总结这段对话，因为其中的内容超出了我能够处理的范围，请您提供更多的信息之后再试一次。",
  ])("refuses a refusal: %s", (summary) => {
    expect(judge(summary)).toMatchObject({ isValid: false, issues: [expect.stringContaining("refusal")] });
  });

  test("accepts a summary that goes on after its apology", () => {
    const distinct = Array.from({ length: 30 }, (_, index) => `Part${index} reads file${index} well.`).join(" ");
    expect(judge(`I apologize for the confusion. ${GOOD} ${distinct}`).isValid).toBe(true);
  });

  test("refuses an echo of the last message or of the prompt", () => {
    const prompt =
      "Summarise the conversation above in six parts, and quote where the work stopped, word for word, at the end of it.";
    expect(judge(LAST.toUpperCase())).toMatchObject({
      isValid: false,
      issues: [expect.stringContaining("repeats the")],
    });
    expect(judge(`> ${prompt}\n`, { prompts: [prompt] }).isValid).toBe(false);
    expect(judge(`${GOOD}\nThe user said: "${LAST}"`).isValid).toBe(true);
  });

  test("refuses one line or one phrase over and over", () => {
    expect(judge("The importer is done and tested.\n".repeat(30)).issues).toEqual([
      expect.stringContaining("repeats itself"),
    ]);
    expect(judge("and then and then ".repeat(50)).isValid).toBe(false);
    expect(judge("我们修复了日期。".repeat(40)).isValid).toBe(false);
  });

  test("refuses hardly a word for much, but not for little", () => {
    expect(judge("Importer done.").issues).toEqual([
      "The summary has 2 words; at least 20 are needed for what it hides.",
    ]);
    const small = log(user("Hi."), assistant("Hello, what can I do?"), user("Nothing."), assistant("Fine."));
    expect(summaryQualityValidator().validate(small, small.slice(3), "A greeting.").isValid).toBe(true);
    expect(judge("Importer done.", { minWords: 2 }).isValid).toBe(true);
  });

  describe("with required headings", () => {
    const requiredHeadings = ["Current work", "Key concepts", "Files", "Next steps"];
    const part = (heading: string) => `${heading}\n${GOOD}\n`;

    test("finds them behind marks, numbers and tags", () => {
      const summary = ["## Current work:", "2. **Key Concepts**", "<files>", "- Next steps (pending)"]
        .map(part)
        .join("\n");
      expect(judge(summary, { requiredHeadings })).toEqual({ isValid: true, issues: [], score: 1 });
    });

    test("reports those that are missing and lowers the score", () => {
      const summary = part("# Current work") + part("# Key concepts") + part("# Profiles");
      expect(judge(summary, { requiredHeadings })).toEqual({
        isValid: true,
        issues: ['The part "Files" is missing.', 'The part "Next steps" is missing.'],
        score: 0.5,
      });
    });

    test("refuses a summary without most of them, and demands none by default", () => {
      expect(judge(GOOD, { requiredHeadings })).toMatchObject({ isValid: false, score: 0 });
      expect(judge(GOOD).issues).toEqual([]);
    });
  });

  test("stays quick on hostile summaries", () => {
    for (const unit of ["a", "a ", "\n", "a\n", "修", "😀", "-", "\u0301"]) {
      const summary = unit.repeat(2_000_000);
      const judging = () => expect(judge(summary, { requiredHeadings: ["Files"] }).isValid).toBe(false);
      expect(cpuTimeMs(judging)).toBeLessThan(10_000);
    }
  });

  test.each([{ minWords: -1 }, { requiredHeadings: "Files" }, { prompts: [1] }])("rejects %j", (options) => {
    expect(() => summaryQualityValidator(JSON.parse(JSON.stringify(options)))).toThrow(/must be/);
  });
});
