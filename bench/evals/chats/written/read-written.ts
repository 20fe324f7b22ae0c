import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Message } from "palimpsest";
import type { Chat, Question } from "../chat.ts";

/** One of the chats that were written for these evals, session by session. */
export interface WrittenChat {
  readonly name: string;
  /** `people`: two of them by name. `assistant`: a person, and a model that answers at length. */
  readonly between: "people" | "assistant";
  /** Whether constants may be chosen with it in sight. */
  readonly use: "tune" | "report";
  readonly sessions: readonly (readonly LabelledMessage[])[];
  readonly questions: readonly WrittenQuestion[];
}

/** A message, and the name by which questions refer to it. */
export interface LabelledMessage {
  readonly label: string | undefined;
  readonly message: Message;
}

export interface WrittenQuestion {
  readonly kind: string;
  readonly query: string;
  /** Of the messages that hold the answer. */
  readonly labels: readonly string[];
  /** The words in them that give it. */
  readonly answers: readonly string[];
}

const MINUTE_MS = 60_000;
const SESSION = /^@ (\d{4}-\d\d-\d\d) (\d\d:\d\d)$/;
/** As written inside a message, which is one line of the file. */
const LINE_BREAK = "\\n";
const SAID = /^(\p{L}+)(?: \[([^\]]+)\])?: (.+)$/u;

/** All of them, in the order of their names. */
export function readWrittenChats(): readonly WrittenChat[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".txt"));
  return files.toSorted().map((file) => {
    const text = readFileSync(resolve(import.meta.dirname, file), "utf8");
    return parseWrittenChat(file.replace(".txt", ""), text);
  });
}

/** Reads the format that the README beside it describes; throws where a line is none of it. */
export function parseWrittenChat(name: string, text: string): WrittenChat {
  const header = new Map<string, string>();
  const sessions: LabelledMessage[][] = [];
  const questions: WrittenQuestion[] = [];
  let ts = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const session = SESSION.exec(line);
    const said = SAID.exec(line);
    if (session !== null) {
      ts = Date.parse(`${session[1]}T${session[2]}:00Z`);
      sessions.push([]);
    } else if (line.startsWith("? ")) questions.push(parseQuestion(line));
    else if (said === null || said[1] === undefined || said[3] === undefined) throw new Error(`${name}: ${line}`);
    else if (sessions.length === 0) header.set(said[1], said[3]);
    else {
      const [, speaker, label] = said;
      const words = said[3].replaceAll(LINE_BREAK, "\n");
      sessions.at(-1)?.push({ label, message: messageOf({ speaker, words, ts, header }) });
      ts += MINUTE_MS;
    }
  }
  const between = header.get("between") === "people" ? "people" : "assistant";
  return { name, between, use: header.get("use") === "tune" ? "tune" : "report", sessions, questions };
}

interface Said {
  readonly speaker: string;
  readonly words: string;
  readonly ts: number;
  readonly header: ReadonlyMap<string, string>;
}

function messageOf({ speaker, words, ts, header }: Said): Message {
  const speakers = [...header.keys()].filter((key) => key !== "between" && key !== "use");
  const role = speakers.indexOf(speaker) === 0 ? "user" : "assistant";
  const name = header.get(speaker);
  if (name === undefined) throw new Error(`${speaker} is no speaker of this chat.`);
  return { role, ts, content: header.get("between") === "people" ? `${name}: ${words}` : words };
}

function parseQuestion(line: string): WrittenQuestion {
  const [kind = "", labels = "", query = "", answers = ""] = line.slice(2).split(" | ");
  return { kind, query, labels: labels.split(", "), answers: answers.split("; ") };
}

/** A session in the order of a log that it becomes a part of. */
export interface Session {
  readonly messages: readonly LabelledMessage[];
  /** Of the chat that it belongs to; undefined where nothing is asked about it. */
  readonly chat?: WrittenChat | undefined;
}

/** The sessions as one log, with the questions of those chats that are asked about. */
export function chatOf(name: string, sessions: readonly Session[], asked: readonly WrittenChat[]): Chat {
  const messages: Message[] = [];
  const places = new Map<string, number>();
  for (const { messages: said, chat } of sessions) {
    for (const { label, message } of said) {
      if (label !== undefined && chat !== undefined) places.set(`${chat.name} ${label}`, messages.length);
      messages.push({ ...message, id: `m${messages.length}` });
    }
  }
  const questions = asked.flatMap((chat) =>
    chat.questions.map(({ query, labels, answers }): Question => {
      const spans = labels.map((label) => {
        const at = places.get(`${chat.name} ${label}`);
        if (at === undefined) throw new Error(`${chat.name} has no message [${label}].`);
        return [at, at] as const;
      });
      return { query, spans, sources: answers };
    }),
  );
  return { name, messages, questions };
}

/** The sessions of several chats, one after the other as they took place. */
export function sessionsByDate(chats: readonly WrittenChat[]): readonly Session[] {
  const all = chats.flatMap((chat) => chat.sessions.map((messages): Session => ({ messages, chat })));
  return all.toSorted((one, other) => startOf(one) - startOf(other));
}

function startOf({ messages }: Session): number {
  return messages[0]?.message.ts ?? 0;
}

/** The sessions with the others between them at even distances, which take their time from the session before. */
export function mixSessions(sessions: readonly Session[], others: readonly (readonly Message[])[]): readonly Session[] {
  const mixed: Session[] = [];
  let given = 0;
  for (const [at, session] of sessions.entries()) {
    mixed.push(session);
    const due = Math.round((others.length * (at + 1)) / sessions.length);
    for (; given < due; given++) {
      const ts = startOf(session) + (given + 1) * MINUTE_MS;
      mixed.push({
        messages: (others[given] ?? []).map((message) => ({ label: undefined, message: { ...message, ts } })),
      });
    }
  }
  return mixed;
}
