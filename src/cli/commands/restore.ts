import type { Fold } from "../../core/history/list-folds.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Session } from "../../engine/session/session.ts";
import { findSessionId, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { parseCommandLine } from "../terminal/command-line.ts";
import { findId } from "../terminal/find-id.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import type { Output } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";

const ALL = "all";

const COMMAND: Command = {
  name: "restore",
  about: `Undoes a fold of a stored session: what it hid is visible again, exactly as it was. <fold> is the id of a fold, or the
beginning of one, or all; palimpsest sessions show lists them.`,
  positionals: ["session", "fold"],
  options: {
    json: { about: "print { session, restored, viewTokensBefore, viewTokensAfter } for machines" },
    store: STORE_OPTION,
  },
};

interface Restored {
  readonly session: string;
  readonly restored: readonly Fold[];
  readonly viewTokensBefore: number;
  readonly viewTokensAfter: number;
}

/** `palimpsest restore <session> <fold|all>`; returns the exit code. */
export async function restore(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const { session: named = "", fold = "" } = given.values;
  const restored = await withSessions(COMMAND, given, {
    use: async ({ engine, store }) => restoreFolds(await engine.session(await findSessionId(store, named)), fold),
  });
  output.write(given.flags.has("json") ? `${JSON.stringify(restored, undefined, 2)}\n` : renderRestored(restored));
  return 0;
}

async function restoreFolds(session: Session, named: string): Promise<Restored> {
  const folds = await session.folds();
  const ids = folds.map(({ foldId }) => foldId);
  const wantedIds = new Set(named === ALL ? ids : [findId(named, ids, "fold")]);
  const wanted = folds.filter(({ foldId }) => wantedIds.has(foldId));
  const viewTokensBefore = countMessagesTokens(await session.view());
  for (const { foldId } of wanted) await session.restore(foldId);
  const viewTokensAfter = countMessagesTokens(await session.view());
  return { session: session.id, restored: wanted, viewTokensBefore, viewTokensAfter };
}

function renderRestored({ restored, viewTokensBefore, viewTokensAfter }: Restored): string {
  if (restored.length === 0) return "Nothing is folded.\n";
  const lines = restored.map(({ foldId, messages, blocks }) => {
    const what = messages > 0 ? countOf(messages, "message") : countOf(blocks, "block");
    return oneLine(`${foldId} restored: ${what}`);
  });
  return `${lines.join("\n")}\nview: ${formatCount(viewTokensBefore)} → ${countOf(viewTokensAfter, "token")}\n`;
}
