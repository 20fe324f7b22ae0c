#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { packageVersion } from "../gateway/package-version.ts";
import { CommandError } from "./terminal/command-error.ts";
import { listNames } from "./terminal/command-line.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  run(commandArguments: readonly string[]): Promise<number>;
}

/** Each is loaded when it is called: none has to wait for what the others need. */
const COMMANDS: readonly Entry[] = [
  {
    name: "run",
    summary: "run an agent through a gateway that keeps it inside its window",
    run: async (given) => (await import("./commands/run.ts")).run(given),
  },
  {
    name: "up",
    summary: "start the gateway that any agent can be pointed at",
    run: async (given) => (await import("./commands/up.ts")).up(given),
  },
  {
    name: "inspect",
    summary: "show what fills the context of a session file",
    run: async (given) => (await import("./commands/inspect.ts")).inspect(given),
  },
  {
    name: "compact",
    summary: "bring a session file under a number of tokens and print what is left",
    run: async (given) => (await import("./commands/compact.ts")).compact(given),
  },
  {
    name: "recall",
    summary: "search a session file, or stored sessions, and print excerpts with their message ids",
    run: async (given) => (await import("./commands/recall.ts")).recall(given),
  },
  {
    name: "sessions",
    summary: "list, show, import, export and delete stored sessions",
    run: async (given) => (await import("./commands/sessions.ts")).sessions(given),
  },
  {
    name: "condense",
    summary: "condense a stored session, or print a session file condensed",
    run: async (given) => (await import("./commands/condense.ts")).condense(given),
  },
  {
    name: "pin",
    summary: "keep a message of a stored session visible, or a whole session from retention",
    run: async (given) => (await import("./commands/pin.ts")).pin(given),
  },
  {
    name: "mcp",
    summary: "serve stored sessions to an agent by the Model Context Protocol",
    run: async (given) => (await import("./commands/mcp.ts")).mcp(given),
  },
  {
    name: "restore",
    summary: "undo a fold of a stored session",
    run: async (given) => (await import("./commands/restore.ts")).restore(given),
  },
  {
    name: "rewind",
    summary: "make a stored session, and its files, what they were at another moment",
    run: async (given) => (await import("./commands/rewind.ts")).rewind(given),
  },
  {
    name: "checkpoint",
    summary: "keep this moment of a stored session and its files",
    run: async (given) => (await import("./commands/checkpoint.ts")).checkpoint(given),
  },
  {
    name: "verify",
    summary: "prove that a stored session is what was written to it",
    run: async (given) => (await import("./commands/verify.ts")).verify(given),
  },
  {
    name: "statement",
    summary: "say what a stored session cost, and what it would have cost otherwise",
    run: async (given) => (await import("./commands/statement.ts")).statement(given),
  },
  {
    name: "store",
    summary: "check, migrate or clear out the database of all sessions",
    run: async (given) => (await import("./commands/store.ts")).store(given),
  },
  {
    name: "eval",
    summary: "measure on your own sessions what each way of compacting leaves visible",
    run: async (given) => (await import("./commands/eval.ts")).evaluate(given),
  },
  {
    name: "demo",
    summary: "replay a long coding session through a 32k window and show what happens",
    run: async (given) => (await import("./commands/demo.ts")).demo(given),
  },
];

const HELP = `palimpsest: keeps an agent's context inside its window and never loses a byte

Usage: palimpsest <command> [options]

Commands
${listNames(COMMANDS.map(({ name, summary }) => [name, summary]))}

Options
  -h, --help     show this text; after a command, what that command takes
  -V, --version  show the version

Examples
  palimpsest run -- claude
  palimpsest inspect session.jsonl
  palimpsest compact session.jsonl --budget 8k --to anthropic --output short.json
  palimpsest recall session.jsonl "why the login test fails"
  palimpsest sessions import session.jsonl --id login
  palimpsest rewind login --to-version 12 --dry-run

Exit codes: 0 done, 1 it failed, 2 the command line makes no sense
`;

// Node keeps what it compiled of the commands in the system's temporary folder: later starts of a gateway take a fifth less.
enableCompileCache();
process.stdout.on("error", endUnwritten);
// Who cannot be told of a failure may still read the exit code.
process.stderr.on("error", ({ code }: NodeJS.ErrnoException) =>
  code === "EPIPE" ? process.exit() : process.exit(process.exitCode ?? 1),
);
process.exitCode = await main(process.argv.slice(2));

async function main([name, ...commandArguments]: readonly string[]): Promise<number> {
  try {
    switch (name) {
      case "--version":
      case "-V":
        process.stdout.write(`${packageVersion()}\n`);
        return 0;
      case "help": {
        const [topic] = commandArguments;
        if (topic !== undefined) return await (await commandNamed(topic)).run(["--help"]);
        process.stdout.write(HELP);
        return 0;
      }
      case undefined:
      case "--help":
      case "-h":
        process.stdout.write(HELP);
        return 0;
    }
    return await (await commandNamed(name)).run(commandArguments);
  } catch (error) {
    const { describeFailure, exitCodeOf } = await import("./terminal/command-error.ts");
    process.stderr.write(`palimpsest: ${describeFailure(error)}\n`);
    return exitCodeOf(error);
  }
}

// What only a failure needs is loaded then: it brings the core of the package along, and a version is told in a quarter of the time without it.
async function commandNamed(name: string): Promise<Entry> {
  const command = COMMANDS.find((each) => each.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((each) => each.name);
  const [{ describeValue }, { didYouMean }] = await Promise.all([
    import("../core/assert.ts"),
    import("./terminal/did-you-mean.ts"),
  ]);
  const hint = didYouMean(name, names) || ` The commands are ${names.join(", ")}.`;
  throw new CommandError(2, `There is no command ${describeValue(name)}.${hint} See palimpsest --help.`);
}

/** A reader such as `head` closes the pipe when it has seen enough: that is no failure. A full disk is one. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(
    `palimpsest: The output could not be written (${error.message}). Write it where there is room, or to a terminal.\n`,
  );
  process.exit(1);
}
