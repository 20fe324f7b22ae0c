import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Message } from "palimpsest";
import { DATA_FOLDER } from "../../perf/data-folder.ts";
import type { Chat, Question } from "./chat.ts";

const FOLDER = resolve(DATA_FOLDER, "bfcl-v4");
const SCENARIOS = ["customer", "student"];

/**
 * What a customer and a student tell about themselves over many sessions, from the memory tasks of BFCL v4, with the questions of that benchmark;
 * the messages that hold the sentence that it gives as the source are the evidence. Read in place: undefined where it is absent.
 */
export function readBfcl(): readonly Chat[] | undefined {
  if (!existsSync(resolve(FOLDER, "BFCL_v4_memory.json"))) return undefined;
  const asked = readLines("BFCL_v4_memory.json");
  const sources = new Map(readLines("possible_answer/BFCL_v4_memory.json").map((row) => [row.id, String(row.source)]));
  return SCENARIOS.map((scenario): Chat => {
    const sessions = readLines(`memory_prereq_conversation/memory_${scenario}.json`);
    const said = sessions.flatMap(({ question = [] }) => question.flat());
    const messages = said.map(({ content }, at): Message => ({ id: `m${at}`, role: "user", content }));
    const texts = said.map(({ content }) => normalize(content));
    const questions = asked
      .filter((row) => row.scenario === scenario)
      .map((row): Question => {
        const source = sourcePieces(sources.get(row.id) ?? "");
        const places = texts.flatMap((text, at) => (source.some((piece) => text.includes(piece)) ? [at] : []));
        return { query: row.question?.[0]?.[0]?.content ?? "", spans: places.map((at) => [at, at]), sources: source };
      });
    return { name: scenario, messages, questions: questions.filter(({ spans }) => spans.length > 0) };
  });
}

interface BfclRow {
  readonly id: string;
  readonly scenario?: string;
  readonly question?: readonly (readonly { readonly content: string }[])[];
  readonly source?: string;
}

function readLines(file: string): readonly BfclRow[] {
  const lines = readFileSync(resolve(FOLDER, file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** A source leaves words out with dots; a piece of a few words stands in more messages than the one that is meant. */
const LEAST_PIECE_CHARACTERS = 16;

function sourcePieces(source: string): readonly string[] {
  const pieces = source.split(/\.\.\.|…/).map(normalize);
  const telling = pieces.filter((piece) => piece.length >= LEAST_PIECE_CHARACTERS);
  return telling.length > 0 ? telling : pieces.filter((piece) => piece !== "");
}

/** Letters and digits in small letters, with single spaces between words. */
export function normalize(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
