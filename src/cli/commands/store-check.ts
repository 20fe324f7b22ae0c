import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { StoreCheck } from "../../core/ports/store-maintenance.ts";
import { listSessions } from "../../engine/session/list-sessions.ts";
import { verifySession } from "../../engine/session/verify-session.ts";
import { maintenanceOf, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import { countOf, formatBytes, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "store check",
  about: `Shows what a store holds, whether every session has the records that its entry names, and what migrate
would do. The exit code is 1 if something is damaged. Opening a store brings its schema up to date;
nothing else is changed.`,
  positionals: [],
  options: {
    deep: { about: "also verify every session, as palimpsest verify does; this reads all records" },
    json: { about: "print { schemaVersion, sessions, records, bytes, pending, problems } for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest store check [--deep]`; returns the exit code, 1 if anything is damaged. */
export async function checkStore(commandArguments: readonly string[], output: Output, notes: Output): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const isJson = given.flags.has("json");
  const checked = await withProgress({ notes, isJson }, (progress) =>
    withSessions(COMMAND, given, {
      use: async (open) => {
        const check = await maintenanceOf(COMMAND, open).check();
        const found = given.flags.has("deep") ? await verifyAll(open.store, progress) : [];
        return { ...check, problems: [...check.problems, ...found] };
      },
    }),
  );
  output.write(isJson ? jsonText(checked) : render(checked));
  return checked.problems.length === 0 ? 0 : 1;
}

async function verifyAll(store: Store, { show }: Progress): Promise<readonly string[]> {
  const problems: string[] = [];
  const sessions = await listSessions(store, { limit: Number.MAX_SAFE_INTEGER });
  for (const [index, { id }] of sessions.entries()) {
    show(`verifying session ${formatCount(index + 1)} of ${formatCount(sessions.length)}`);
    const problem = await problemOf(store, id);
    if (problem !== undefined) problems.push(`${JSON.stringify(id)}: ${problem}`);
  }
  return problems;
}

async function problemOf(store: Store, id: string): Promise<string | undefined> {
  try {
    const session = await store.find(id);
    // The session was deleted since it was listed.
    if (session === undefined) return undefined;
    const verified = await verifySession({ store, session }, {});
    return verified.type === "damaged" ? verified.problem : undefined;
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "store-damaged") return error.message;
    throw error;
  }
}

function render({ schemaVersion, sessions, records, bytes, pending, problems }: StoreCheck): string {
  const lines = [
    `schema      version ${schemaVersion}${pending.length === 0 ? "" : ", palimpsest store migrate has something to do"}`,
    ...pending.map((step) => `            ${oneLine(step)}`),
    `sessions    ${formatCount(sessions)}`,
    `records     ${formatCount(records)}, with request bodies ${formatBytes(bytes)}`,
    problems.length === 0 ? "problems    none" : `problems    ${countOf(problems.length, "problem")}`,
    ...problems.map((problem) => `            ${oneLine(problem)}`),
  ];
  return `${lines.join("\n")}\n`;
}
