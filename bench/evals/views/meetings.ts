import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Message } from "palimpsest";
import { TRAINING_FOLDER } from "../../perf/data-folder.ts";

/** A meeting of QMSum, and what somebody asked about it. */
export interface Meeting {
  readonly messages: readonly Message[];
  readonly questions: readonly MeetingQuestion[];
}

export interface MeetingQuestion {
  readonly answer: string;
  /** Numbers of the messages in which people marked the answer. */
  readonly evidence: readonly number[];
}

interface MeetingRow {
  readonly meeting_transcripts: readonly { readonly speaker: string; readonly content: string }[];
  readonly specific_query_list: readonly {
    readonly answer: string;
    readonly relevant_text_span: readonly (readonly [string, string])[];
  }[];
}

/** The meetings of one part of QMSum, read in place; undefined where they are absent. */
export function readMeetings(part: "val" | "test"): readonly Meeting[] | undefined {
  const path = resolve(TRAINING_FOLDER, "qmsum", `${part}.jsonl`);
  if (!existsSync(path)) return undefined;
  const rows = readFileSync(path, "utf8").split("\n");
  return rows.filter((row) => row !== "").map((row) => readMeeting(JSON.parse(row)));
}

function readMeeting({ meeting_transcripts, specific_query_list }: MeetingRow): Meeting {
  return {
    messages: meeting_transcripts.map(({ speaker, content }, at) => ({
      id: `m${at}`,
      role: "user",
      content: `${speaker}: ${content}`,
    })),
    questions: specific_query_list.map(({ answer, relevant_text_span }) => ({
      answer,
      evidence: relevant_text_span.flatMap(([first, last]) =>
        Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at),
      ),
    })),
  };
}
