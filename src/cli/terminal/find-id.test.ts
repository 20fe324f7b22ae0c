import { describe, expect, test } from "vitest";
import { CommandError } from "./command-error.ts";
import { findId } from "./find-id.ts";

const IDS = ["task", "task-42", "harbour-light", "harbour-lamp"];

function failure(given: string, ids: readonly string[] = IDS): string {
  try {
    findId(given, ids, "session");
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 1) return error.message;
    throw error;
  }
  throw new Error("It was found.");
}

describe("naming something by its id", () => {
  test("takes the whole id, also where others begin with it", () => {
    expect(findId("task", IDS, "session")).toBe("task");
  });

  test("takes the beginning of exactly one", () => {
    expect(findId("harbour-li", IDS, "session")).toBe("harbour-light");
    expect(findId("a", ["abc", "abc"], "message")).toBe("abc");
  });

  test("lists the candidates where several begin like that", () => {
    const message = failure("harbour");
    expect(message).toContain('2 sessions begin with "harbour": "harbour-light", "harbour-lamp"');
  });

  test("lists what there is, but not all of very many", () => {
    expect(failure("x")).toContain('There is no session "x". There is: "task", "task-42"');
    const many = Array.from({ length: 100 }, (_, index) => `session-${index}`);
    expect(failure("session", many)).toMatch(/^100 sessions .*"session-7" and 92 more\./);
    expect(failure("x", many)).toBe('There is no session "x". There are 100: palimpsest sessions lists them.');
    expect(failure("nothing", [])).toContain("There is none at all");
  });

  test("an empty beginning is none, and a slip is pointed out", () => {
    expect(failure("", ["only"])).toContain('no session ""');
    expect(failure("tsak")).toContain("Did you mean task?");
  });
});
