import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { backTestValidator } from "./back-test-validator.ts";

const FILES = ["queue", "worker", "ledger", "invoice", "router", "cache", "mailer", "audit"].map(
  (name) => `src/services/${name}-service.ts`,
);
/** Eight files are listed once; later the agent opens each of them without being told its path again. */
const session: readonly Message[] = log(
  user("Rename the method in every service."),
  assistant(call("list", "Bash", { command: "ls services" })),
  user(result("list", FILES.join("\n"))),
  ...FILES.flatMap((path, index) => [
    assistant(`Step ${index}.`, call(`c${index}`, "Edit", { file_path: path, old_string: "run", new_string: "start" })),
    user(result(`c${index}`, "Done.")),
  ]),
);
const words = "The person wants a method renamed in every service, and that is what was being done, file by file. ";

function judge(summary: string, options = {}) {
  return backTestValidator({ calls: 8, ...options }).validate(session, session.slice(-2), summary);
}

describe("backTestValidator", () => {
  test("accepts a summary that names what the newest turns used", () => {
    expect(judge(`${words} Files: ${FILES.join(", ")}`)).toEqual({ isValid: true, issues: [], score: 1 });
  });

  test("refuses one that names far less than a ledger of its size, and says what is missing", () => {
    const { isValid, issues, score } = judge(words.repeat(20));
    expect([isValid, score]).toEqual([false, 0]);
    expect(issues[0]).toMatch(/^It names 0 % of what the newest turns used; a ledger of its size names \d+ %\.$/);
    expect(issues[1]).toContain("src/services/queue-service.ts");
  });

  test("demands as large a share of the ledger's score as it is told", () => {
    const half = `${words.repeat(20)} Files: ${FILES.slice(0, 5).join(", ")}`;
    expect(judge(half).isValid).toBe(true);
    expect(judge(half, { minShare: 1 }).isValid).toBe(false);
    expect(judge(words, { minShare: 0 }).isValid).toBe(true);
  });

  test("does not judge where the newest turns needed hardly anything", () => {
    const talk = log(user("Hello."), assistant("Hello."), user("How are you?"), assistant("Fine."));
    expect(backTestValidator().validate(talk, talk.slice(-1), "A greeting.")).toMatchObject({
      isValid: true,
      score: 1,
    });
  });

  test("judges models only: a ledger need not beat itself", () => {
    expect(backTestValidator().judges).toBe("models");
  });

  test.each([{ minShare: 2 }, { calls: 0 }, { countTokens: 5 }])("rejects %j", (options) => {
    expect(() => backTestValidator(JSON.parse(JSON.stringify(options)))).toThrow(/must be/);
  });
});
