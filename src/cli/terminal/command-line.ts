import { parseArgs } from "node:util";
import { CommandError } from "./command-error.ts";
import { didYouMean } from "./did-you-mean.ts";
import { parseCount } from "./numbers.ts";
import type { Output } from "./output.ts";

/** A command's arguments as data: the parser, its checks and the help text are made of it. */
export interface Command {
  readonly name: string;
  /** What the command does, for its help text. */
  readonly about: string;
  /** The names of the required positional arguments, in order. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
}

export interface CommandOption {
  /** The placeholder for the option's value in the help text; an option without one is a flag. */
  readonly value?: string;
  readonly about: string;
  /** Whether the option must be given; only shown in the help text. @default false */
  readonly isRequired?: boolean;
  /** The positional that must be left out when this option is given. @default none */
  readonly replaces?: string;
}

/** The parsed arguments after the name of a command. */
export type CommandLine = { readonly type: "help" } | Arguments;

export interface Arguments {
  readonly type: "run";
  /** The values of positionals and options by their names. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
}

/** Parses a command line. Throws a `CommandError` with exit code 2 that says how to fix it. */
export function parseCommandLine(command: Command, commandArguments: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...commandArguments],
    options: { ...parseOptions(command), help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | undefined> = {};
  const flags = new Set<string>();
  const given: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") given.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help") return { type: "help" };
    const option = command.options[token.name];
    if (option === undefined) throw unknownOption(command, token.rawName);
    // Another option in place of the value means that the value was forgotten.
    const isForgotten = token.value?.startsWith("--") === true && token.inlineValue === false;
    if (option.value === undefined) {
      if (token.value !== undefined) throw wrongUsage(command, `${token.rawName} takes no value.`);
      flags.add(token.name);
    } else if (token.value === undefined || token.value === "" || isForgotten) {
      throw wrongUsage(command, `${token.rawName} needs a value: ${token.rawName} ${option.value}.`);
    } else values[token.name] = token.value;
  }
  const names = positionalsBeside(command, [...Object.keys(values), ...flags]);
  return { type: "run", values: { ...values, ...namePositionals(command, names, given) }, flags };
}

/** Parses the arguments of a command; writes its help text and returns undefined if that was asked for. */
export function readArguments(
  command: Command,
  commandArguments: readonly string[],
  output: Output,
): Arguments | undefined {
  const given = parseCommandLine(command, commandArguments);
  if (given.type === "run") return given;
  output.write(helpText(command));
  return undefined;
}

function parseOptions({ options }: Command): Record<string, { readonly type: "string" | "boolean" }> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }]),
  );
}

/** The positionals that are required beside these options. */
function positionalsBeside({ positionals, options }: Command, givenOptions: readonly string[]): readonly string[] {
  const replaced = new Set(givenOptions.map((name) => options[name]?.replaces));
  return positionals.filter((name) => !replaced.has(name));
}

function namePositionals(
  command: Command,
  positionals: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> {
  const missing = positionals[given.length];
  if (missing !== undefined) throw wrongUsage(command, `<${missing}> is missing.${insteadOf(command, missing)}`);
  const extra = given[positionals.length];
  if (extra !== undefined) {
    throw wrongUsage(command, `${JSON.stringify(extra)} is one too many. Put quotes around what belongs together.`);
  }
  return Object.fromEntries(positionals.map((name, place) => [name, given[place] ?? ""]));
}

/** The options that take the place of a positional, for its error. */
function insteadOf({ options }: Command, positional: string): string {
  const names = Object.entries(options).flatMap(([name, { value, replaces }]) =>
    replaces === positional ? [`--${name}${value === undefined ? "" : ` ${value}`}`] : [],
  );
  const choice = names.length === 0 ? "" : ` Give it, or ${names.join(" or ")}.`;
  return positional === "session" ? `${choice} palimpsest sessions lists the sessions.` : choice;
}

function unknownOption(command: Command, rawName: string): CommandError {
  const names = [...Object.keys(command.options), "help"];
  const listed = names.map((name) => `--${name}`).join(", ");
  const hint = didYouMean(rawName.replace(/^-+/, ""), names, "--");
  const what = `There is no option ${rawName}.${hint} The options are ${listed}.`;
  // A query may begin with a dash too.
  const dashes = command.positionals.length > 1 ? " Put -- before a text that begins with a dash." : "";
  return wrongUsage(command, `${what}${dashes}`);
}

/** The error for a wrong command line. */
export function wrongUsage(command: Command, what: string): CommandError {
  return new CommandError(2, `${command.name}: ${what}\nSee palimpsest ${command.name} --help.`);
}

/** The value of an option that must be a whole number of at least 1; undefined if the option is not given. */
export function countOption(command: Command, { values }: Arguments, name: string): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const count = parseCount(text);
  if (count !== undefined && count >= 1) return count;
  const example = command.options[name]?.value === "TOKENS" ? "8000 or 8k" : "10";
  throw wrongUsage(
    command,
    `--${name} is ${JSON.stringify(text)}; it must be a whole number of at least 1, such as ${example}.`,
  );
}

const HIGHEST_PORT = 65_535;

/** The value of `--port`; undefined if it is not given. */
export function portOption(command: Command, { values }: Arguments): number | undefined {
  const text = values.port;
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= HIGHEST_PORT) return port;
  throw wrongUsage(command, `--port is ${JSON.stringify(text)}; it must be a number from 0 to ${HIGHEST_PORT}.`);
}

/** The value of an option that must be one of `choices`; undefined if the option is not given. */
export function choiceOption<Choice extends string>(
  command: Command,
  { values }: Arguments,
  { name, choices }: { readonly name: string; readonly choices: readonly Choice[] },
): Choice | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  const listed = choices.join(", ");
  throw wrongUsage(
    command,
    `--${name} is ${JSON.stringify(text)}; it must be one of ${listed}.${didYouMean(text, choices)}`,
  );
}

/** The text of `palimpsest <command> --help`. */
export function helpText({ name, about, positionals, options }: Command): string {
  const entries = Object.entries(options);
  const required = entries.flatMap(([option, { value, isRequired }]) =>
    isRequired === true ? [`--${option}${value === undefined ? "" : ` ${value}`}`] : [],
  );
  const usage = ["palimpsest", name, ...positionals.map((positional) => `<${positional}>`), ...required, "[options]"];
  const listed = [
    ...entries.map(([option, { value, about: meaning }]) => [
      `--${option}${value === undefined ? "" : ` ${value}`}`,
      meaning,
    ]),
    ["-h, --help", "show this text"],
  ];
  return `Usage: ${usage.join(" ")}\n\n${about}\n\nOptions\n${listNames(listed)}\n`;
}

/** Names and their meanings in two columns. */
export function listNames(entries: readonly (readonly string[])[]): string {
  const width = entries.reduce((widest, [name = ""]) => Math.max(widest, name.length), 0);
  return entries
    .map(
      ([name = "", meaning = ""]) =>
        `  ${name.padEnd(width)}  ${meaning.replaceAll("\n", `\n${" ".repeat(width + 4)}`)}`,
    )
    .join("\n");
}
