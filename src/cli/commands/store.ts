import { CommandError } from "../terminal/command-error.ts";
import { type Command, helpText, listNames } from "../terminal/command-line.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Output } from "../terminal/output.ts";

interface Action {
  readonly name: string;
  readonly summary: string;
  run(commandArguments: readonly string[], output: Output, notes: Output): Promise<number>;
}

const ACTIONS: readonly Action[] = [
  {
    name: "check",
    summary: "show what the database holds, what is damaged, and what migrate would do",
    run: async (given, output, notes) => (await import("./store-check.ts")).checkStore(given, output, notes),
  },
  {
    name: "migrate",
    summary: "bring schema and layout up to date, while gateways go on",
    run: async (given, output, notes) => (await import("./store-migrate.ts")).migrateStore(given, output, notes),
  },
  {
    name: "vacuum",
    summary: "remove old sessions, and give their space back",
    run: async (given, output, notes) => (await import("./store-vacuum.ts")).vacuumStore(given, output, notes),
  },
];

const COMMAND: Command = {
  name: "store <action>",
  about: `Maintains the database of all sessions. Its subcommands:

${listNames(ACTIONS.map(({ name, summary }) => [`store ${name}`, summary]))}`,
  positionals: [],
  options: {},
};

/** `palimpsest store check|migrate|vacuum`; returns the exit code. */
export async function store(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const [name = "", ...rest] = commandArguments;
  const action = ACTIONS.find((candidate) => candidate.name === name);
  if (action !== undefined) return action.run(rest, output, notes);
  if (name === "--help" || name === "-h") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const names = ACTIONS.map((known) => known.name);
  const what = name === "" ? "<action> is missing." : `${JSON.stringify(name)} is nothing that can be done.`;
  const hint = didYouMean(name, names) || ` It takes ${names.join(", ")}.`;
  throw new CommandError(2, `store: ${what}${hint}\nSee palimpsest store --help.`);
}
