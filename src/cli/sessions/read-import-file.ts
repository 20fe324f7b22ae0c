import { open, readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import type { SessionExport } from "../../engine/session/session-export.ts";
import type { Command } from "../terminal/command.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Arguments } from "../terminal/command-line.ts";
import { nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";

/** What can be made a session of. */
export type ImportFile =
  | { readonly type: "transcript"; readonly transcript: Transcript }
  | { readonly type: "export"; readonly exported: SessionExport };

/** How every export of ours begins. */
const EXPORT_START = /^\s*\{\s*"format"\s*:\s*"palimpsest-session"/;
const HEAD_BYTES = 256;

/** Reads the session that `<file>` names, or standard input for `-`: another agent's, or one that we exported. */
export async function readImportFile(command: Command, given: Arguments): Promise<ImportFile> {
  const { file = "" } = given.values;
  if (file !== "-") {
    if (EXPORT_START.test(await headOf(file))) return readExportText(await readFile(file, "utf8"), file);
    return { type: "transcript", transcript: await readSessionFile(command, given) };
  }
  // Both readers want the beginning, and standard input gives it once.
  const input = await buffer(process.stdin);
  if (EXPORT_START.test(input.subarray(0, HEAD_BYTES).toString())) return readExportText(input.toString(), file);
  return { type: "transcript", transcript: await readSessionFile(command, given, Readable.from([input])) };
}

/** Empty for what is no plain file, or cannot be read: whoever reads it next says why. */
async function headOf(path: string): Promise<string> {
  try {
    // Opening a pipe would take from what is read next.
    if (!(await stat(path)).isFile()) return "";
    const file = await open(path);
    try {
      const { buffer: head, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return head.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

function readExportText(text: string, file: string): ImportFile {
  const value = tryParseJson(text);
  if (isExport(value)) return { type: "export", exported: value };
  throw new CommandError(1, `${nameOfFile(file)}: the export is only half there. Export the session again.`);
}

/** The engine looks at what it holds. */
function isExport(value: unknown): value is SessionExport {
  return typeof value === "object" && value !== null && "format" in value && value.format === "palimpsest-session";
}
