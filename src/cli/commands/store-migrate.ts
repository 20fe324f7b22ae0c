import type { StoreMigration } from "../../core/ports/store-maintenance.ts";
import { maintenanceOf, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "store migrate",
  about: `Brings schema and layout of a store up to date. Gateways may go on using it meanwhile, also those of the
previous version. You can stop the command at any time; started again, it continues.`,
  positionals: [],
  options: {
    json: { about: "print { fromVersion, toVersion, steps } for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest store migrate`; returns the exit code. */
export async function migrateStore(
  commandArguments: readonly string[],
  output: Output,
  notes: Output,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const isJson = given.flags.has("json");
  const migration = await withProgress({ notes, isJson }, ({ show }) =>
    withSessions(COMMAND, given, {
      use: (open) => maintenanceOf(COMMAND, open).migrate({ onProgress: (line) => show(line) }),
    }),
  );
  output.write(isJson ? jsonText(migration) : render(migration));
  return 0;
}

function render({ toVersion, steps }: StoreMigration): string {
  if (steps.length === 0) return `Nothing to do: the schema has version ${toVersion}.\n`;
  return [...steps.map((step) => `done: ${oneLine(step)}`), `The schema has version ${toVersion}.`, ""].join("\n");
}
