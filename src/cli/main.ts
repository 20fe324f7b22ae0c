#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { PalimpsestError } from "../core/errors.ts";
import { demo } from "./commands/demo.ts";

const HELP = `palimpsest: keeps an agent's context inside its window and never loses a byte

Usage: palimpsest <command> [options]

Commands
  demo      replay a long coding session through a 32k window and show what happens
            --json     print the result for machines

Options
  --help      show this text
  --version   show the version
`;

for (const output of [process.stdout, process.stderr]) output.on("error", endWhenNobodyReads);
process.exitCode = await main(process.argv.slice(2));

/** Exit codes: 0 done, 1 it failed, 2 the command line makes no sense. */
async function main([command, ...commandArguments]: readonly string[]): Promise<number> {
  try {
    switch (command) {
      case "demo":
        return await demo(commandArguments);
      case "--version":
        process.stdout.write(`${version()}\n`);
        return 0;
      case undefined:
      case "help":
      case "--help":
      case "-h":
        process.stdout.write(HELP);
        return 0;
    }
    process.stderr.write(`palimpsest: unknown command ${JSON.stringify(command)}\n\n${HELP}`);
    return 2;
  } catch (error) {
    if (error instanceof PalimpsestError) process.stderr.write(`palimpsest: ${error.message}\n`);
    else process.stderr.write(`palimpsest: unexpected failure\n${error instanceof Error ? error.stack : error}\n`);
    return error instanceof PalimpsestError && error.code === "invalid-argument" ? 2 : 1;
  }
}

/** A reader such as `head` closes the pipe when it has seen enough: that is no failure. */
function endWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
