import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { BlockFold, Message } from "../../core/message/message.ts";
import { contentTexts } from "../../core/text/message-texts.ts";
import { type Arguments, type Command, type CommandOption, wrongUsage } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";

const OFFLOAD_VARIABLE = "PALIMPSEST_OFFLOAD";

/** The option of every command that writes or deletes files of tool outputs. */
export const OFFLOAD_OPTION: CommandOption = {
  value: "FOLDER",
  about: `the folder for large tool outputs, as files that a local agent can read\n(default: $${OFFLOAD_VARIABLE}, else none)`,
};

export interface OffloadSources {
  /** The folder in the file of `--config`. */
  readonly file?: string | undefined;
  readonly environment: Environment;
}

/** The folder that `--offload` names, or else the configuration, or else the environment; undefined if none does. */
export function offloadFolder(
  command: Command,
  { values }: Arguments,
  { file, environment }: OffloadSources,
): string | undefined {
  const folder = values.offload ?? file ?? (environment[OFFLOAD_VARIABLE] || undefined);
  if (folder === undefined) return undefined;
  if (folder === "" || /[\r\n\0]/.test(folder)) throw wrongUsage(command, "--offload must be a folder.");
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw wrongUsage(command, `--offload is ${path}, which is a file; name a folder.`);
  }
  return path;
}

/** The folders of the files that a session's stand-ins name. */
export function offloadedFolders(messages: readonly Message[]): readonly string[] {
  const paths = messages.flatMap(({ folds = [] }) => folds.flatMap((fold) => pathIn(fold) ?? []));
  return [...new Set(paths.map((path) => dirname(path)))];
}

const BEFORE_PATH = "whole output in ";

function pathIn({ file, standIn }: BlockFold): string | undefined {
  if (file === undefined) return undefined;
  for (const text of contentTexts([standIn])) {
    const start = text.indexOf(BEFORE_PATH);
    const end = start < 0 ? -1 : text.indexOf(file, start);
    if (end >= 0) return text.slice(start + BEFORE_PATH.length, end + file.length);
  }
  return undefined;
}
