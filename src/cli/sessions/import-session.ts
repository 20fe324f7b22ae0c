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

/** What became of a file. */
export interface ImportedSession {
  readonly id: string;
  /** The agent's format, or `palimpsest` for an export of ours. */
  readonly format: string;
  readonly messages: number;
  /** Of the view. */
  readonly tokens: number;
  readonly folds: number;
  /** What the file has and a session does not keep. */
  readonly leftOut: readonly string[];
  /** What could not be read, and was passed over. */
  readonly problems: readonly TranscriptProblem[];
}

export interface ImportOptions {
  readonly file: string;
  /** @default the one in the file, else the name of the file */
  readonly id: string | undefined;
}

/** Makes a session of another agent's. */
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

/** Brings back a session as `sessions export` wrote it: with its folds, events and all that was rewound. */
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
    // What is wrong with the file is not wrong with the command line.
    if (!(error instanceof PalimpsestError)) throw error;
    throw new CommandError(1, `${file} is no whole export: ${error.message}`);
  }
}

async function assertFree({ store }: Pick<OpenSessions, "store">, id: string): Promise<void> {
  const found = await store.find(id);
  if (found === undefined || found.version === 0) return;
  throw new CommandError(
    1,
    `There is a session ${JSON.stringify(id)} already. Pass --id ID to give this one another name.`,
  );
}

async function sizesOf(session: Session): Promise<Pick<ImportedSession, "id" | "messages" | "tokens" | "folds">> {
  const said = (await session.log()).filter((message) => !isStandIn(message));
  const tokens = countMessagesTokens(await session.view());
  return { id: session.id, messages: said.length, tokens, folds: (await session.folds()).length };
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

/** What can be made a session of. */
type ImportFile =
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
