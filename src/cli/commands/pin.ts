import { messageName } from "../../core/history/message-name.ts";
import type { Session } from "../../engine/session/session.ts";
import { findMessageName } from "../sessions/find-message.ts";
import { findSession, findSessionId, maintenanceOf, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Arguments, type Command, readArguments } from "../terminal/command-line.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "pin",
  about: `Marks a message of a stored session as important: it stays visible as long as anything else can be
hidden instead. <message> is an id, the beginning of one, or the place of a message without an id, such
as #3. palimpsest sessions show lists messages and pins.

Retention never removes a session with a pinned message. To keep a session without pinning a message,
use --whole.`,
  positionals: ["session", "message"],
  options: {
    whole: { about: "keep the whole session from retention, instead of <message>", replaces: "message" },
    off: { about: "remove the mark" },
    json: {
      about: "print { session, message, important, version } for machines;\nwith --whole { session, pinned }",
    },
    store: STORE_OPTION,
  },
};

interface Pinned {
  readonly session: string;
  readonly message: string;
  readonly important: boolean;
  /** The session's version afterwards. */
  readonly version: number;
}

/** `palimpsest pin <session> <message> [--off]`, or `<session> --whole`; returns the exit code. */
export async function pin(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { session: named = "", message = "" } = given.values;
  const important = !given.flags.has("off");
  if (given.flags.has("whole")) return pinWhole(given, output);
  const pinned = await withSessions(COMMAND, given, {
    use: async (open) => pinMessage(await findSession(open, named), { message, important }),
  });
  const what = important ? "is pinned: it stays visible" : "is pinned no longer";
  output.write(given.flags.has("json") ? jsonText(pinned) : `${oneLine(pinned.message)} ${what}\n`);
  return 0;
}

async function pinWhole(given: Arguments, output: Output): Promise<number> {
  const pinned = !given.flags.has("off");
  const session = await withSessions(COMMAND, given, {
    use: async (open) => {
      const id = await findSessionId(open.store, given.values.session ?? "");
      await maintenanceOf(COMMAND, open).pin(id, pinned);
      return id;
    },
  });
  const what = pinned ? "is pinned: no retention removes it" : "is pinned no longer as a whole";
  output.write(given.flags.has("json") ? jsonText({ session, pinned }) : `${oneLine(session)} ${what}\n`);
  return 0;
}

async function pinMessage(
  session: Session,
  { message, important }: Pick<Pinned, "message" | "important">,
): Promise<Pinned> {
  const log = await session.log();
  const id = findMessageName(message, log);
  // Without a change nothing is recorded: the history should only hold what happened.
  const marked = log.findLast((candidate, place) => messageName(candidate, place) === id);
  if ((marked?.important === true) !== important) await session.mark(id, { important });
  return { session: session.id, message: id, important, version: await session.version() };
}
