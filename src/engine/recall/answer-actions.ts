import { nameGivenAs } from "../../core/history/message-name.ts";
import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countOf } from "../../core/truncate/stand-in.ts";
import type { Session } from "../session/session.ts";

/** The answer to a call of a tool. */
export interface ToolAnswer {
  readonly text: string;
  /** Whether the request was not carried out. @default false */
  readonly isError?: boolean;
}

/** The methods of a session that a model may call by tools. */
export type ActedOnSession = Pick<Session, "condense" | "mark" | "view">;

/** Answers a model's request to condense. */
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

/** Answers a model's request to pin a message, or to take its pin back. Throws "not-found" where the message was removed meanwhile. */
export async function answerPin(session: Pick<Session, "mark" | "log">, input: JsonRecord): Promise<ToolAnswer> {
  const message = asName(input.message);
  if (message === undefined) return { text: 'Pass { "message": "the id of a message" }.', isError: true };
  const name = nameGivenAs(await session.log(), message);
  if (name === undefined) {
    return { text: `There is no message ${JSON.stringify(message)}. Pass an id as recall gives it.`, isError: true };
  }
  const important = input.off !== true;
  await session.mark(name, { important });
  return { text: important ? `${message} is pinned: it stays visible.` : `${message} is pinned no longer.` };
}
