import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countOf } from "../../core/truncate/stand-in.ts";
import type { Session } from "../session/session.ts";

/** What a call of a tool came to. */
export interface ToolAnswer {
  readonly text: string;
  /** Whether what was asked for was not done. @default false */
  readonly isError?: boolean;
}

/** What a model may do to a session. */
export type ActedOnSession = Pick<Session, "condense" | "mark" | "view">;

/** Condenses because the model asked for it. */
export async function answerCondense(
  session: Pick<ActedOnSession, "condense" | "view">,
  signal?: AbortSignal,
): Promise<ToolAnswer> {
  const before = countMessagesTokens(await session.view());
  const { condenseId, error } = await session.condense({ signal });
  if (error !== undefined || condenseId === undefined) {
    return { text: `Nothing was changed. ${error ?? "There is nothing to condense."}`, isError: true };
  }
  const after = countMessagesTokens(await session.view());
  return { text: `Condensed into fold ${condenseId}: ${countOf(before, "token")} → ${countOf(after, "token")}.` };
}

/** Pins a message, or takes its pin back, because the model asked for it. An unknown message is thrown as by `mark`. */
export async function answerPin(session: Pick<ActedOnSession, "mark">, input: JsonRecord): Promise<ToolAnswer> {
  const message = asName(input.message);
  if (message === undefined) return { text: 'Pass { "message": "the id of a message" }.', isError: true };
  const important = input.off !== true;
  await session.mark(message, { important });
  return { text: important ? `${message} is pinned: it stays visible.` : `${message} is pinned no longer.` };
}
