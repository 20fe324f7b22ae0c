import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Message } from "palimpsest";
import { TRAINING_FOLDER } from "../../perf/data-folder.ts";
import type { Chat, Question, Span } from "./chat.ts";

/**
 * The meetings of one part of QMSum, read in place: undefined where the file is absent. Every contribution is a message that begins with the name of
 * its speaker; the evidence of a question is what people marked in the transcript.
 */
export function readQmsum(part: "val" | "test"): readonly Chat[] | undefined {
  const path = resolve(TRAINING_FOLDER, "qmsum", `${part}.jsonl`);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line, at) => readMeeting(JSON.parse(line), `${part} ${at}`));
}

function readMeeting(meeting: unknown, name: string): Chat {
  const messages = list(meeting, "meeting_transcripts").map((turn, at): Message => {
    return { id: `m${at}`, role: "user", content: `${text(turn, "speaker")}: ${text(turn, "content")}` };
  });
  const questions = list(meeting, "specific_query_list").map((entry): Question => {
    return { query: text(entry, "query"), spans: list(entry, "relevant_text_span").map(readSpan) };
  });
  return { name, messages, questions: questions.filter(({ spans }) => spans.length > 0) };
}

function readSpan(span: unknown): Span {
  const [first, last] = Array.isArray(span) ? span.map(Number) : [];
  if (first === undefined || last === undefined || !(first <= last)) throw unexpected("relevant_text_span");
  return [first, last];
}

function list(value: unknown, field: string): readonly unknown[] {
  const found = fieldOf(value, field);
  if (!Array.isArray(found)) throw unexpected(field);
  return found;
}

function text(value: unknown, field: string): string {
  const found = fieldOf(value, field);
  if (typeof found !== "string") throw unexpected(field);
  return found;
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}

function unexpected(field: string): Error {
  return new Error(
    `QMSum: ${field} is not what its description says. Is PALIMPSEST_TRAINING the folder of the training data?`,
  );
}
