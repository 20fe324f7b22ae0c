import type { Statement } from "../../core/statement/statement.ts";
import { findSessionId, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { renderStatement } from "../sessions/render-statement.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Arguments, type Command, readArguments } from "../terminal/command-line.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";

const COMMAND: Command = {
  name: "statement",
  about: `Shows what the requests of a stored session cost, and what they would have cost with nothing folded, with
a summary at 80 % of the window, and at best. Every figure includes the effects of the provider's cache.
If folding cost more than it saved, the saving is negative. <session> is an id, or the beginning of one.`,
  positionals: ["session"],
  options: {
    all: { about: "sum up all stored sessions", replaces: "session" },
    json: { about: "print the figures for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest statement <session>`; returns the exit code. */
export async function statement(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const isJson = given.flags.has("json");
  const { title, ...figures } = await withProgress({ notes, isJson }, ({ during }) =>
    during("reading", () => withSessions(COMMAND, given, { use: (open) => readStatement(open, given) })),
  );
  if (isJson) output.write(jsonText(figures));
  else {
    const style = styleFor(output, process.env);
    output.write(renderStatement(figures.statement, { title, style, columns: columnsOf(output) }));
  }
  return 0;
}

interface NamedStatement {
  readonly title: string;
  /** Missing if the statement is of all sessions. */
  readonly session?: string;
  readonly statement: Statement;
}

async function readStatement({ engine, store }: OpenSessions, given: Arguments): Promise<NamedStatement> {
  if (given.flags.has("all")) return { title: "all sessions", statement: await engine.statement() };
  const id = await findSessionId(store, given.values.session ?? "");
  return { title: id, session: id, statement: await (await engine.session(id)).statement() };
}
