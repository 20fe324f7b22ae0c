import { PalimpsestError } from "../../core/errors.ts";
import { findSessionId, withSessions } from "../sessions/open-sessions.ts";
import { readDetails } from "../sessions/read-sessions.ts";
import { renderDetails } from "../sessions/render-details.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, countOption, readArguments } from "../terminal/command-line.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";

const DEFAULT_LIMIT = 20;

const COMMAND: Command = {
  name: "sessions show",
  about: `Shows a stored session: its view, its folds with the ids that restore takes, its events, its checkpoints,
and the versions that rewind can go to. <session> is an id, or the beginning of one.`,
  positionals: ["session"],
  options: {
    limit: { value: "N", about: `how many rows each list shows (default: ${DEFAULT_LIMIT})` },
    json: { about: "print all of it for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest sessions show <session>`; returns the exit code. */
export async function showSession(commandArguments: readonly string[], output: Output): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const limit = countOption(COMMAND, given, "limit") ?? DEFAULT_LIMIT;
  const details = await withSessions(COMMAND, given, {
    use: async ({ engine, store }) => {
      const id = await findSessionId(store, given.values.session ?? "");
      const session = await engine.session(id);
      const stored = await store.find(id);
      if (stored === undefined)
        throw new PalimpsestError("not-found", `The session ${JSON.stringify(id)} was deleted.`);
      return readDetails(session, stored);
    },
  });
  if (given.flags.has("json")) output.write(jsonText(details));
  else {
    const style = styleFor(output, process.env);
    output.write(renderDetails(details, { columns: columnsOf(output), style, now: Date.now(), limit }));
  }
  return 0;
}
