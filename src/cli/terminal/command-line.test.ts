import { describe, expect, test } from "vitest";
import { CommandError } from "./command-error.ts";
import { type Arguments, type Command, choiceOption, countOption, helpText, parseCommandLine } from "./command-line.ts";

const COMMAND: Command = {
  name: "search",
  about: "Looks for something.",
  positionals: ["file", "query"],
  options: {
    budget: { value: "TOKENS", about: "how much", isRequired: true },
    to: { value: "FORMAT", about: "where to\n(default: nowhere)" },
    json: { about: "for machines" },
  },
};

function run(...commandArguments: readonly string[]): Arguments {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type !== "run") throw new Error("asked for help");
  return given;
}

function failure(act: () => unknown): CommandError {
  try {
    act();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("reading a command line", () => {
  test("names positionals and options, in any order", () => {
    const given = run("--json", "a.jsonl", "--budget=8k", "what failed");
    expect(given.values).toEqual({ file: "a.jsonl", query: "what failed", budget: "8k" });
    expect([...given.flags]).toEqual(["json"]);
  });

  test("takes a dash for a file, and anything after two dashes as it is", () => {
    expect(run("-", "--", "--json").values).toEqual({ file: "-", query: "--json" });
  });

  test("help wins over what is missing", () => {
    expect(parseCommandLine(COMMAND, ["--help"])).toEqual({ type: "help" });
    expect(parseCommandLine(COMMAND, ["a.jsonl", "-h"])).toEqual({ type: "help" });
  });

  test.each([
    [["a", "b", "--bugdet", "5"], "no option --bugdet. Did you mean --budget? The options are --budget, --to, --json"],
    [["a", "b", "-x"], "no option -x"],
    [["a", "--no-verify flag"], "Put -- before a text that begins with a dash"],
    [["a", "b", "--budget"], "--budget needs a value: --budget TOKENS"],
    [["a", "b", "--budget", "--json"], "--budget needs a value"],
    [["a", "b", "--budget="], "--budget needs a value"],
    [["a", "b", "--json=yes"], "--json takes no value"],
    [["a"], "<query> is missing"],
    [[], "<file> is missing"],
    [["a", "b", "c"], '"c" is one too many'],
  ])("refuses %j and says what would make sense", (commandArguments, reason) => {
    const { exitCode, message } = failure(() => parseCommandLine(COMMAND, commandArguments));
    expect(exitCode).toBe(2);
    expect(message).toContain(reason);
    expect(message).toContain("See palimpsest search --help.");
  });
});

test("an option may stand for a positional, which is then not asked for", () => {
  const command: Command = {
    ...COMMAND,
    options: { ...COMMAND.options, stored: { value: "ID", about: "a session", replaces: "file" } },
  };
  expect(parseCommandLine(command, ["--stored", "s1", "what failed"])).toMatchObject({
    values: { stored: "s1", query: "what failed" },
  });
  expect(failure(() => parseCommandLine(command, ["--stored", "s1", "a", "b"])).message).toContain(
    '"b" is one too many',
  );
  expect(failure(() => parseCommandLine(command, ["what failed"])).message).toContain("<query> is missing");
  expect(failure(() => parseCommandLine(command, [])).message).toContain("<file> is missing. Give it, or --stored ID.");
});

describe("options with a meaning", () => {
  test("counts are whole numbers of at least 1, as people write them", () => {
    expect(countOption(COMMAND, run("a", "b", "--budget", "1.5k"), "budget")).toBe(1_500);
    expect(countOption(COMMAND, run("a", "b"), "budget")).toBeUndefined();
    for (const value of ["0", "-5", "many", "1.5", "1e3", "Infinity"]) {
      const { exitCode, message } = failure(() => countOption(COMMAND, run("a", "b", "--budget", value), "budget"));
      expect({ exitCode, message }).toEqual({ exitCode: 2, message: expect.stringContaining(JSON.stringify(value)) });
    }
  });

  test("choices name the nearest one", () => {
    const choices = ["claude-code", "codex"] as const;
    expect(choiceOption(COMMAND, run("a", "b", "--to", "codex"), { name: "to", choices })).toBe("codex");
    const { message } = failure(() => choiceOption(COMMAND, run("a", "b", "--to", "codx"), { name: "to", choices }));
    expect(message).toContain("it must be one of claude-code, codex. Did you mean codex?");
  });
});

test("the help of a command says how to call it, with what must be given, and lists every option", () => {
  expect(helpText(COMMAND)).toBe(`Usage: palimpsest search <file> <query> --budget TOKENS [options]

Looks for something.

Options
  --budget TOKENS  how much
  --to FORMAT      where to
                   (default: nowhere)
  --json           for machines
  -h, --help       show this text
`);
});
