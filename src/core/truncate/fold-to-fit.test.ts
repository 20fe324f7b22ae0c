import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { listFolds } from "../history/list-folds.ts";
import { restoreAllMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { foldToFit } from "./fold-to-fit.ts";

/** Turns that each read a file; the same path and text where `copies` is set. */
function readingSession(turns: number, { copies = false } = {}): readonly Message[] {
  const read = (index: number) => {
    const text = Array.from({ length: 60 }, (_, line) => `line ${line} of file ${copies ? 0 : index}`).join("\n");
    const path = copies ? "a.ts" : `file-${index}.ts`;
    return [assistant(call(`t${index}`, "read_file", { path })), user(result(`t${index}`, text))];
  };
  return log(user("read them all"), ...Array.from({ length: turns }, (_, index) => read(index)).flat());
}

function kindsAfter(messages: readonly Message[], allowedTokens: number): readonly string[] {
  const folded = foldToFit(messages, { allowedTokens, countTokens: countContentTokens });
  expect(folded.tokens).toBeLessThanOrEqual(allowedTokens);
  expect(restoreAllMessages(folded.messages)).toEqual(messages);
  return [...new Set(listFolds(folded.messages).map((fold) => fold.kind))].sort();
}

describe("the ladder", () => {
  test("stops at dedupe when repeated reads were all that was too much", () => {
    expect(kindsAfter(readingSession(30, { copies: true }), 6_000)).toEqual(["dedupe"]);
  });

  test("clears old results next, and nothing more when that is enough", () => {
    expect(kindsAfter(readingSession(40), 12_000)).toEqual(["clear"]);
  });

  test("clears by the rules that it is given", () => {
    const options = { allowedTokens: 12_000, countTokens: countContentTokens };
    const kept = foldToFit(readingSession(40), { ...options, clear: { excludeTools: ["read_file"] } });
    expect(listFolds(kept.messages).map(({ kind }) => kind)).toEqual(["truncate"]);
    const told = foldToFit(readingSession(40), { ...options, clear: { placeholder: "an old file" } });
    expect(JSON.stringify(effectiveView(told.messages))).toContain("an old file");
  });

  test("shortens the large arguments of old calls: files that were written, whose results are a word", () => {
    const write = (index: number) => {
      const content = Array.from({ length: 60 }, (_, line) => `line ${line} of file ${index}`).join("\n");
      const input = { file_path: `file-${index}.ts`, content };
      return [assistant(call(`t${index}`, "Write", input)), user(result(`t${index}`, "written"))];
    };
    const messages = log(user("write them all"), ...Array.from({ length: 30 }, (_, index) => write(index)).flat());
    expect(kindsAfter(messages, 9_000)).toEqual(["clear"]);
  });

  test("truncates when clearing does not reach the target", () => {
    expect(kindsAfter(readingSession(60), 4_000)).toEqual(["clear", "truncate"]);
  });

  test("clips what is too large even alone", () => {
    const messages = log(user("show"), assistant(call("t")), user(result("t", "word ".repeat(20_000))));
    expect(kindsAfter(messages, 4_000)).toEqual(["clip"]);
  });
});

test("a log that fits comes back as the same array", () => {
  const messages = readingSession(3);
  const result = foldToFit(messages, { allowedTokens: 50_000, countTokens: countContentTokens });
  expect(result).toMatchObject({ type: "unchanged" });
  expect(result.messages).toBe(messages);
});

test("leaves room below the limit, so that the next turns need no fold of their own", () => {
  const { tokens } = foldToFit(readingSession(40), { allowedTokens: 12_000, countTokens: countContentTokens });
  expect(tokens).toBeLessThanOrEqual(0.7 * 12_000);
});

test("a target above the limit is no excuse to stay over the limit", () => {
  const { type, tokens } = foldToFit(readingSession(40), { allowedTokens: 4_000, targetTokens: 9_000 });
  expect(type).toBe("folded");
  expect(tokens).toBeLessThanOrEqual(4_000);
});
