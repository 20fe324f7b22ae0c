import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { assert, assertNumber, assertObject } from "../core/assert.ts";
import { describeError } from "../core/describe-error.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { OffloadFiles } from "../core/ports/offload.ts";

export interface FolderOffloadOptions {
  /** The folder of the files, with a subfolder for each session. It is created where it is missing; nothing is written outside of it. */
  readonly folder: string;
  /** Smaller outputs get no file. @default 2_000 */
  readonly minTokens?: number | undefined;
  /** How long a fold waits for its files to be written; after that it is made without them. @default 5_000 */
  readonly timeoutMs?: number | undefined;
}

/**
 * Writes large tool outputs to files in a folder, for an agent that can read files of this machine. Only the user of this process may read them,
 * because outputs may contain secrets.
 * @example
 * ```ts
 * import { mkdtemp, readFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { folderOffload } from "palimpsest/checkpoints";
 * const files = folderOffload({ folder: await mkdtemp(join(tmpdir(), "outputs-")) });
 * const file = { sessionId: "task-42", name: "toolu_01.txt" };
 * await files.write({ ...file, text: "all that the tool returned" });
 * console.log(await readFile(files.pathOf(file), "utf8")); // all that the tool returned
 * ```
 */
export function folderOffload(options: FolderOffloadOptions): OffloadFiles {
  assertObject("options", options);
  const { folder, minTokens, timeoutMs } = options;
  assert(typeof folder === "string" && folder !== "", "options.folder", folder, "a path");
  assert(!/[\r\n\0]/.test(folder), "options.folder", folder, "a path of one line");
  if (minTokens !== undefined) assertNumber("options.minTokens", minTokens, 0);
  if (timeoutMs !== undefined) assertNumber("options.timeoutMs", timeoutMs, 1);
  // Resolved now: the working directory may be another one when a fold is made.
  const root = resolve(folder);
  return {
    minTokens,
    timeoutMs,
    pathOf: ({ sessionId, name }) => join(root, sessionFolderName(sessionId), checkedName(name)),
    write: async ({ sessionId, name, text }) => {
      const file = checkedName(name);
      try {
        await replaceFile(await sessionFolder(root, sessionId), file, text);
      } catch (error) {
        throw failed(`The output ${file} could not be written to ${root}`, error);
      }
    },
    remove: async (sessionId) => {
      try {
        // A link in its place is removed, not followed.
        await rm(join(root, sessionFolderName(sessionId)), { recursive: true, force: true });
      } catch (error) {
        throw failed(`The outputs of ${JSON.stringify(sessionId)} could not be deleted from ${root}`, error);
      }
    },
  };
}

const ONLY_OWNER = 0o700;
const ONLY_OWNER_FILE = 0o600;

/** The real path of a session's folder, which is created where it is missing. Throws where a link leads elsewhere. */
async function sessionFolder(root: string, sessionId: string): Promise<string> {
  const name = sessionFolderName(sessionId);
  await mkdir(join(root, name), { recursive: true, mode: ONLY_OWNER });
  const [real, realRoot] = await Promise.all([realpath(join(root, name)), realpath(root)]);
  if (real === join(realRoot, name)) return real;
  throw new Error(`${join(root, name)} is a link to ${real}`);
}

/** Writes a file atomically and durably: the fold that names it is permanent, so readers must never see a part of it, not even after a power cut. */
async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `.${name}.${randomUUID()}`);
  try {
    const file = await open(temporary, "wx", ONLY_OWNER_FILE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const MAX_ID_CHARACTERS = 40;
const HASH_CHARACTERS = 12;

/** A readable and unique folder name. It has a hash, because ids may differ only in case or in characters that are replaced. */
function sessionFolderName(sessionId: string): string {
  const readable = sessionId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_ID_CHARACTERS);
  const hash = createHash("sha256").update(sessionId).digest("hex").slice(0, HASH_CHARACTERS);
  return `${readable}-${hash}`;
}

function checkedName(name: string): string {
  const isSafe = typeof name === "string" && /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) && name.length <= 200;
  assert(isSafe, "name", name, 'a file name of letters, digits, "_", "-" and "."');
  return name;
}

function failed(what: string, error: unknown): PalimpsestError {
  if (error instanceof PalimpsestError) return error;
  return new PalimpsestError(
    "offload-failed",
    `${what}: ${describeError(error)}. Make room there, or name another folder.`,
  );
}
