import { isStandIn } from "../../core/message/effective-view.ts";
import type { Session } from "../../engine/session/session.ts";
import { findSessionId, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { parseCommandLine } from "../terminal/command-line.ts";
import { findId } from "../terminal/find-id.ts";
import type { Output } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "pin",
  about: `Marks a message of a stored session as important: it stays visible as long as anything else can be hidden instead. <message>
is the id of a message, or the beginning of one; palimpsest sessions show lists them, and shows which are pinned.`,
  positionals: ["session", "message"],
  options: {
    off: { about: "take the mark back" },
    json: { about: "print { session, message, important, version } for machines" },
    store: STORE_OPTION,
  },
};

interface Pinned {
  readonly session: string;
  readonly message: string;
  readonly important: boolean;
  /** Of the session, afterwards. */
  readonly version: number;
}

/** `palimpsest pin <session> <message> [--off]`; returns the exit code. */
export async function pin(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const { session: named = "", message = "" } = given.values;
  const important = !given.flags.has("off");
  const pinned = await withSessions(COMMAND, given, {
    use: async ({ engine, store }) =>
      pinMessage(await engine.session(await findSessionId(store, named)), { message, important }),
  });
  const what = important ? "is pinned: it stays visible" : "is pinned no longer";
  output.write(
    given.flags.has("json") ? `${JSON.stringify(pinned, undefined, 2)}\n` : `${oneLine(pinned.message)} ${what}\n`,
  );
  return 0;
}

async function pinMessage(
  session: Session,
  { message, important }: Pick<Pinned, "message" | "important">,
): Promise<Pinned> {
  const log = await session.log();
  const ids = log.flatMap((each) => (each.id === undefined || isStandIn(each) ? [] : [each.id]));
  const id = findId(message, ids, "message");
  // What is so already is no change: the history says only what happened.
  const isSo = (log.findLast((each) => each.id === id)?.important === true) === important;
  if (!isSo) await session.mark(id, { important });
  return { session: session.id, message: id, important, version: await session.version() };
}
