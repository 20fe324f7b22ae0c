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
  about: `Marks a message of a stored session as important: it stays visible as long as anything else can be hidden instead. <message>
is the id of a message, or the beginning of one, or #3 for the place of one without an id; palimpsest sessions show lists them, and
shows which are pinned. A session with a pinned
message is removed by no retention; --whole keeps a session from retention without pinning a message.`,
  positionals: ["session", "message"],
  options: {
    whole: { about: "keep the whole session from retention; names no message", replaces: "message" },
    off: { about: "take the mark back" },
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
  /** Of the session, afterwards. */
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
  // What is so already is no change: the history says only what happened.
  const isSo = (log.findLast((each, place) => messageName(each, place) === id)?.important === true) === important;
  if (!isSo) await session.mark(id, { important });
  return { session: session.id, message: id, important, version: await session.version() };
}
