import { open, readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { PalimpsestError } from "../../core/errors.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Transcript, TranscriptProblem } from "../../core/transcript/transcript.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SessionExport } from "../../engine/session/session-export.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Arguments, Command } from "../terminal/command-line.ts";
import { nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** The session that a file was imported as. */
export interface ImportedSession {
  readonly id: string;
  /** The agent's format, or `palimpsest` for an export of ours. */
  readonly format: string;
  readonly messages: number;
  /** The tokens of the view. */
  readonly tokens: number;
  readonly folds: number;
  /** Contents of the file that a session does not keep. */
  readonly leftOut: readonly string[];
  /** Parts of the file that could not be read. */
  readonly problems: readonly TranscriptProblem[];
}

export interface ImportOptions {
  readonly file: string;
  /** @default the id in the file, or else the file's name */
  readonly id: string | undefined;
}

/** Imports a session of another agent. */
export async function importTranscript(
  { engine, store }: OpenSessions,
  transcript: Transcript,
  { file, id: wanted }: ImportOptions,
): Promise<ImportedSession> {
  const { format, messages, problems } = transcript;
  if (messages.length === 0) throw new CommandError(1, `${file} holds no messages: there is nothing to import.`);
  const id = wanted ?? transcript.sessionId ?? nameOf(file);
  if (id === undefined) throw new CommandError(1, "The input does not say what it is called. Name it with --id ID.");
  await assertFree({ store }, id);
  const session = await engine.session(id, { messages });
  return { ...(await sizesOf(session)), format, leftOut: leftOutOf(transcript), problems };
}

/** Imports a session that `sessions export` wrote, with its folds, events and rewound messages. */
export async function importExport(
  { engine, store }: OpenSessions,
  exported: SessionExport,
  { file, id: wanted }: ImportOptions,
): Promise<ImportedSession> {
  try {
    const id = wanted ?? exported.id;
    if (typeof id === "string" && id !== "") await assertFree({ store }, id);
    const session = await engine.importSession(exported, { id: wanted });
    return { ...(await sizesOf(session)), format: "palimpsest", leftOut: [], problems: [] };
  } catch (error) {
    // A damaged file is exit code 1, not a wrong command line.
    if (!(error instanceof PalimpsestError)) throw error;
    throw new CommandError(1, `${file} is no whole export: ${error.message}`);
  }
}

async function assertFree({ store }: Pick<OpenSessions, "store">, id: string): Promise<void> {
  const existing = await store.find(id);
  if (existing === undefined || existing.version === 0) return;
  throw new CommandError(
    1,
    `There is a session ${JSON.stringify(id)} already. Pass --id ID to give this one another name.`,
  );
}

async function sizesOf(session: Session): Promise<Pick<ImportedSession, "id" | "messages" | "tokens" | "folds">> {
  const originals = (await session.log()).filter((message) => !isStandIn(message));
  const tokens = countMessagesTokens(await session.view());
  return { id: session.id, messages: originals.length, tokens, folds: (await session.folds()).length };
}

function nameOf(file: string): string | undefined {
  return file === "-" ? undefined : basename(file, extname(file)) || undefined;
}

function leftOutOf({ systemPrompt, compactions }: Transcript): readonly string[] {
  return [
    ...(systemPrompt === undefined ? [] : ["the system prompt (pass it when you open the session)"]),
    ...(compactions.length === 0 ? [] : ["where the agent condensed its context (all messages are there)"]),
  ];
}

/** A file that can be imported. */
type ImportFile =
  | { readonly type: "transcript"; readonly transcript: Transcript }
  | { readonly type: "export"; readonly exported: SessionExport };

/** The beginning of every export of ours. */
const EXPORT_START = /^\s*\{\s*"format"\s*:\s*"palimpsest-session"/;
const HEAD_BYTES = 256;

/** Reads the file that `<file>` names, or standard input for `-`: a session of another agent, or an export of ours. */
export async function readImportFile(command: Command, given: Arguments): Promise<ImportFile> {
  const { file = "" } = given.values;
  if (file !== "-") {
    if (EXPORT_START.test(await headOf(file))) return readExportText(await readFile(file, "utf8"), file);
    return { type: "transcript", transcript: await readSessionFile(command, given) };
  }
  // Standard input can be read only once, and both the test and the reader need its beginning.
  const input = await buffer(process.stdin);
  if (EXPORT_START.test(input.subarray(0, HEAD_BYTES).toString())) return readExportText(input.toString(), file);
  return { type: "transcript", transcript: await readSessionFile(command, given, Readable.from([input])) };
}

/** The beginning of a file; empty if it is no plain file or cannot be read, which the next reader reports. */
async function headOf(path: string): Promise<string> {
  try {
    // Reading from a pipe would take its beginning away from the next reader.
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

/** Whether a value is an export by its format; the engine checks its content. */
function isExport(value: unknown): value is SessionExport {
  return typeof value === "object" && value !== null && "format" in value && value.format === "palimpsest-session";
}
