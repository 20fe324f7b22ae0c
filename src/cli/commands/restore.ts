import type { Fold } from "../../core/history/list-folds.ts";
import type { MessageSpan } from "../../core/history/restore-span.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Session } from "../../engine/session/session.ts";
import { findMessageName } from "../sessions/find-message.ts";
import { findSession, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { findId } from "../terminal/find-id.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const ALL = "all";

const COMMAND: Command = {
  name: "restore",
  about: `Undoes a fold of a stored session: the messages that it hid are visible again, exactly as they were.
<fold> is the id of a fold, the beginning of one, or all; palimpsest sessions show lists them.

With --from and --to, the messages between the two are shown again, with whole tool pairs, and the rest
of the fold stays hidden. Name a message without an id by its place: #3.`,
  positionals: ["session", "fold"],
  options: {
    from: { value: "MESSAGE", about: "the first message to show again, instead of <fold>", replaces: "fold" },
    to: { value: "MESSAGE", about: "the last one (default: the same)", replaces: "fold" },
    json: {
      about:
        "print { session, restored, viewTokensBefore, viewTokensAfter } for machines;\nof a span, restored is { from, to, messages }",
    },
    store: STORE_OPTION,
  },
};

interface Restored {
  readonly session: string;
  readonly restored: readonly Fold[] | RestoredSpan;
  readonly viewTokensBefore: number;
  readonly viewTokensAfter: number;
}

interface RestoredSpan extends MessageSpan {
  /** The number of messages that were hidden, and are visible now. */
  readonly messages: number;
}

/** `palimpsest restore <session> <fold|all>`, or with --from and --to; returns the exit code. */
export async function restore(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { session: named = "", fold = "", from, to = from } = given.values;
  if (from === undefined && to !== undefined) throw wrongUsage(COMMAND, "--to goes with --from.");
  const isJson = given.flags.has("json");
  const restored = await withProgress({ notes, isJson }, ({ during }) =>
    during(`restoring ${named}`, () =>
      withSessions(COMMAND, given, {
        use: async (open) => {
          const session = await findSession(open, named);
          return from === undefined || to === undefined
            ? restoreFolds(session, fold)
            : restoreBetween(session, { from, to });
        },
      }),
    ),
  );
  output.write(isJson ? jsonText(restored) : renderRestored(restored));
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

async function restoreBetween(session: Session, named: MessageSpan): Promise<Restored> {
  const log = await session.log();
  const span = { from: findMessageName(named.from, log), to: findMessageName(named.to, log) };
  const before = await session.view();
  await session.restore(span);
  const after = await session.view();
  const visible = (view: readonly Message[]) => view.filter((message) => !isStandIn(message)).length;
  return {
    session: session.id,
    restored: { ...span, messages: visible(after) - visible(before) },
    viewTokensBefore: countMessagesTokens(before),
    viewTokensAfter: countMessagesTokens(after),
  };
}

function renderRestored({ restored, viewTokensBefore, viewTokensAfter }: Restored): string {
  const lines = "from" in restored ? spanLines(restored) : foldLines(restored);
  const sizes = `view: ${formatCount(viewTokensBefore)} → ${countOf(viewTokensAfter, "token")}`;
  return `${[...lines, ...(viewTokensBefore === viewTokensAfter ? [] : [sizes])].join("\n")}\n`;
}

function spanLines({ from, to, messages }: RestoredSpan): readonly string[] {
  const span = from === to ? from : `${from} to ${to}`;
  return [
    oneLine(
      messages === 0 ? `${span}: no message is hidden there` : `${span}: ${countOf(messages, "message")} restored`,
    ),
  ];
}

function foldLines(restored: readonly Fold[]): readonly string[] {
  if (restored.length === 0) return ["Nothing is folded."];
  return restored.map(({ foldId, messages, blocks }) => {
    const what = messages > 0 ? countOf(messages, "message") : countOf(blocks, "block");
    return oneLine(`${foldId} restored: ${what}`);
  });
}
