import type { Command } from "../terminal/command.ts";
import { type Arguments, wrongUsage } from "../terminal/command-line.ts";

const HIGHEST_PORT = 65_535;

/** The port that `--port` gives; undefined where it is not given. */
export function portOption(command: Command, { values }: Arguments): number | undefined {
  const text = values.port;
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= HIGHEST_PORT) return port;
  throw wrongUsage(command, `--port is ${JSON.stringify(text)}; it must be a number from 0 to ${HIGHEST_PORT}.`);
}
