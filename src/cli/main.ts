#!/usr/bin/env node
// The default import: a named import that an old Node lacks would fail before we can say that the Node is too old.
import nodeModule from "node:module";
import { packageVersion } from "../gateway/package-version.ts";
import { CommandError } from "./terminal/command-error.ts";
import { listNames } from "./terminal/command-line.ts";
import { tooOldNode } from "./terminal/too-old-node.ts";

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  run(commandArguments: readonly string[]): Promise<number>;
}

/** The commands. Each is loaded when it is called, so that none waits for the modules of the others. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run an agent through a gateway that keeps it inside its window",
    run: async (given) => (await import("./commands/run.ts")).run(given),
  },
  {
    name: "up",
    summary: "start a gateway for all your agents",
    run: async (given) => (await import("./commands/up.ts")).up(given),
  },
  {
    name: "config",
    summary: "show the settings that up would use, and where each comes from",
    run: async (given) => (await import("./commands/config.ts")).config(given),
  },
  {
    name: "doctor",
    summary: "check this machine: Node, store, git, port, agents, keys",
    run: async (given) => (await import("./commands/doctor.ts")).doctor(given),
  },
  {
    name: "inspect",
    summary: "show what fills the context of a session file",
    run: async (given) => (await import("./commands/inspect.ts")).inspect(given),
  },
  {
    name: "compact",
    summary: "fold a session file to a number of tokens and print the rest",
    run: async (given) => (await import("./commands/compact.ts")).compact(given),
  },
  {
    name: "recall",
    summary: "search a session file or stored sessions, and print excerpts with their message ids",
    run: async (given) => (await import("./commands/recall.ts")).recall(given),
  },
  {
    name: "sessions",
    summary: "list, show, import, export and delete stored sessions",
    run: async (given) => (await import("./commands/sessions.ts")).sessions(given),
  },
  {
    name: "condense",
    summary: "condense a stored session now, or print a session file condensed",
    run: async (given) => (await import("./commands/condense.ts")).condense(given),
  },
  {
    name: "pin",
    summary: "keep a message of a stored session visible, or keep a session from retention",
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
    summary: "take a stored session, and its files, to another moment",
    run: async (given) => (await import("./commands/rewind.ts")).rewind(given),
  },
  {
    name: "checkpoint",
    summary: "keep this moment of a stored session and its files",
    run: async (given) => (await import("./commands/checkpoint.ts")).checkpoint(given),
  },
  {
    name: "verify",
    summary: "prove that a stored session is exactly what was written to it",
    run: async (given) => (await import("./commands/verify.ts")).verify(given),
  },
  {
    name: "statement",
    summary: "show what a stored session cost, and what it would have cost otherwise",
    run: async (given) => (await import("./commands/statement.ts")).statement(given),
  },
  {
    name: "store",
    summary: "check, migrate or clean up the database of all sessions",
    run: async (given) => (await import("./commands/store.ts")).store(given),
  },
  {
    name: "eval",
    summary: "measure what each way of compacting leaves visible, on your own sessions",
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
  -h, --help     show this text; after a command, its options
  -V, --version  show the version

Examples
  palimpsest run -- claude
  palimpsest inspect session.jsonl
  palimpsest compact session.jsonl --budget 8k --to anthropic --output short.json
  palimpsest recall session.jsonl "why the login test fails"
  palimpsest sessions import session.jsonl --id login
  palimpsest rewind login --to-version 12 --dry-run

Exit codes: 0 done, 1 it failed, 2 the command line is wrong
`;

// Node caches compiled code in the system's temporary folder: later starts of a gateway take a fifth less time.
nodeModule.enableCompileCache?.();
process.stdout.on("error", endUnwritten);
// A failure to write to stderr cannot be reported: only the exit code is left.
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
    const refusal = tooOldNode(process.versions.node);
    if (refusal !== undefined) throw new CommandError(1, refusal);
    return await (await commandNamed(name)).run(commandArguments);
  } catch (error) {
    const { describeFailure, exitCodeOf } = await import("./terminal/command-error.ts");
    process.stderr.write(`palimpsest: ${describeFailure(error)}\n`);
    return exitCodeOf(error);
  }
}

/** The command of this name. Throws a `CommandError` if there is none. */
async function commandNamed(name: string): Promise<CommandEntry> {
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((entry) => entry.name);
  // Imported only here: these load the core of the package, and --version takes a quarter of the time without it.
  const [{ describeValue }, { didYouMean }] = await Promise.all([
    import("../core/assert.ts"),
    import("./terminal/did-you-mean.ts"),
  ]);
  const hint = didYouMean(name, names) || ` The commands are ${names.join(", ")}.`;
  throw new CommandError(2, `There is no command ${describeValue(name)}.${hint} See palimpsest --help.`);
}

/** Ends the process when stdout cannot be written. A reader such as `head` that closes the pipe is no failure; a full disk is one. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(
    `palimpsest: The output could not be written (${error.message}). Write it where there is room, or to a terminal.\n`,
  );
  process.exit(1);
}
