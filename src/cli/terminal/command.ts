/** What a person can type, as data: help and checks are made from it. */
export interface Command {
  readonly name: string;
  /** What it does, for its own help. */
  readonly about: string;
  /** Names of what must follow, in order. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
}

export interface CommandOption {
  /** What stands for its value; an option without one is a flag. */
  readonly value?: string;
  readonly about: string;
  /** Whether the command asks for it. @default false */
  readonly isRequired?: boolean;
  /** The positional that is not given where this option is. @default none */
  readonly replaces?: string;
}

/** The text of `palimpsest <command> --help`. */
export function helpText({ name, about, positionals, options }: Command): string {
  const entries = Object.entries(options);
  const required = entries.flatMap(([option, { value, isRequired }]) =>
    isRequired === true ? [`--${option}${value === undefined ? "" : ` ${value}`}`] : [],
  );
  const usage = ["palimpsest", name, ...positionals.map((each) => `<${each}>`), ...required, "[options]"];
  const listed = [
    ...entries.map(([option, { value, about: meaning }]) => [
      `--${option}${value === undefined ? "" : ` ${value}`}`,
      meaning,
    ]),
    ["-h, --help", "show this text"],
  ];
  return `Usage: ${usage.join(" ")}\n\n${about}\n\nOptions\n${listNames(listed)}\n`;
}

/** Names and what they mean, in two columns. */
export function listNames(entries: readonly (readonly string[])[]): string {
  const width = entries.reduce((widest, [name = ""]) => Math.max(widest, name.length), 0);
  return entries
    .map(
      ([name = "", meaning = ""]) =>
        `  ${name.padEnd(width)}  ${meaning.replaceAll("\n", `\n${" ".repeat(width + 4)}`)}`,
    )
    .join("\n");
}
