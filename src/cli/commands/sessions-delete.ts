import { existsSync } from "node:fs";
import { folderOffload } from "../../checkpoints/folder-offload.ts";
import { OFFLOAD_OPTION, offloadedFolders, offloadFolder } from "../sessions/offload-folder.ts";
import { findSessionId, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { sessionFiles } from "../sessions/workspace-storage.ts";
import { type Ask, askOnTerminal } from "../terminal/ask.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Arguments, type Command, readArguments } from "../terminal/command-line.ts";
import { countOf } from "../terminal/numbers.ts";
import type { Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "sessions delete",
  about: `Destroys a stored session with its messages, folds and checkpoints, including those of its files. With
--offload, it also deletes the files of the session's tool outputs. Nothing brings the session back; only
store vacuum destroys sessions too.

The command asks first. In a script, it needs --yes and the whole id.`,
  positionals: ["session"],
  options: {
    yes: { about: "do not ask" },
    json: { about: "print { id, deleted, left } for machines; left are the folders that remain" },
    offload: OFFLOAD_OPTION,
    store: STORE_OPTION,
  },
};

export interface DeleteOutputs {
  readonly output: Output;
  /** The stream for progress. @default process.stderr */
  readonly notes?: Output;
  /** Asks the person; undefined if nobody can be asked. @default asks on the terminal, if there is one */
  readonly ask?: Ask | undefined;
}

/** `palimpsest sessions delete <session> --yes`; returns the exit code, 1 if the person does not agree. */
export async function deleteSession(commandArguments: readonly string[], outputs: DeleteOutputs): Promise<number> {
  const { output, notes = process.stderr, ask = askOnTerminal() } = outputs;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const folder = offloadFolder(COMMAND, given, { environment: process.env });
  return withSessions(COMMAND, given, {
    engineOptions: { offload: folder === undefined ? undefined : folderOffload({ folder }) },
    use: async (sessions) => {
      const id = await agreedId(sessions, given, ask);
      const isJson = given.flags.has("json");
      // Progress is drawn only after the question, which uses the same line.
      const { named, deleted } = await withProgress({ notes, isJson }, async ({ during }) =>
        id === undefined
          ? { named: [], deleted: false }
          : during(`deleting ${id}`, async () => ({
              named: await namedFolders(sessions, id),
              deleted: await destroy(sessions, id),
            })),
      );
      const left = deleted ? named.filter((folder) => existsSync(folder)) : [];
      output.write(isJson ? `${JSON.stringify({ id, deleted, left })}\n` : outcomeText(id, deleted, left));
      return deleted ? 0 : 1;
    },
  });
}

function outcomeText(id: string | undefined, deleted: boolean, left: readonly string[]): string {
  if (!deleted) return "Nothing was deleted.\n";
  const kept = left.map((folder) => `Tool outputs of it are still in ${folder}: delete them by hand.`);
  return [`${JSON.stringify(id)} is deleted.`, ...kept].map((line) => `${oneLine(line)}\n`).join("");
}

/** The folders that the session's stand-ins name; none if the session cannot be read, which is deleted all the same. */
async function namedFolders({ engine }: OpenSessions, id: string): Promise<readonly string[]> {
  try {
    const session = await engine.session(id);
    const folders = offloadedFolders(await session.log());
    session.close();
    return folders;
  } catch {
    return [];
  }
}

/** The id of the session to delete; undefined if the person says no. */
async function agreedId(
  { engine, store }: OpenSessions,
  { values, flags }: Arguments,
  ask: DeleteOutputs["ask"],
): Promise<string | undefined> {
  const { session: named = "" } = values;
  const id = await findSessionId(store, named);
  if (flags.has("yes")) {
    if (id === named) return id;
    throw new CommandError(2, `sessions delete: --yes needs the whole id, which is ${JSON.stringify(id)}.`);
  }
  if (ask === undefined) {
    throw new CommandError(
      2,
      `sessions delete: ${JSON.stringify(id)} would be gone for good. Add --yes if that is meant.`,
    );
  }
  const session = await engine.session(id);
  const size = countOf((await session.log()).length, "message");
  session.close();
  return (await ask(oneLine(`Delete ${JSON.stringify(id)} with its ${size}? Nothing brings it back.`)))
    ? id
    : undefined;
}

/** Deletes the session, then the checkpoints of its files. If the latter fails, nothing refers to what is left. */
async function destroy({ engine, location }: OpenSessions, id: string): Promise<boolean> {
  const isDeleted = await engine.deleteSession(id);
  if (isDeleted) await sessionFiles({ location, sessionId: id, workspace: undefined }).remove();
  return isDeleted;
}
