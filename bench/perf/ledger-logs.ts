/** Logs to condense, cut to a size: made-up ones, and those of real agents where there are any. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "palimpsest";
import { countMessagesTokens } from "palimpsest/core";
import { readTranscriptFolder } from "palimpsest/transcripts";
import { codeCorpus, jsonCorpus, proseCorpus } from "./corpora.ts";
import { DATA_FOLDER } from "./data-folder.ts";

export interface BenchLog {
  readonly name: string;
  /** A log of this many tokens, the last message a reply. */
  build(tokens: number): readonly Message[];
}

const REAL_FOLDERS = ["claude-code", "codex", "opencode", "pi"];

export async function ledgerLogs(): Promise<readonly BenchLog[]> {
  const logs: BenchLog[] = [codingLog, terminalLog, talkLog];
  for (const folder of REAL_FOLDERS) {
    const path = join(DATA_FOLDER, folder);
    if (!existsSync(path)) {
      console.warn(
        `SKIPPED ${folder}: no transcripts in ${path}. PALIMPSEST_DATA names the folder that holds ${folder}/.`,
      );
      continue;
    }
    const { transcripts } = await readTranscriptFolder(path);
    const messages = transcripts.map((transcript) => transcript.messages.filter((message) => !isCompacted(message)));
    logs.push({ name: folder, build: (tokens) => joinSessions(messages, tokens) });
  }
  return logs;
}

/** A compaction by the provider stands for all before it: it would leave nothing to condense. */
function isCompacted({ content }: Message): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "compaction");
}

/** Sessions one after the other, from the first again where all of them are too little. */
function joinSessions(sessions: readonly (readonly Message[])[], tokens: number): readonly Message[] {
  return cut(tokens, function* () {
    for (let round = 0; ; round++) {
      for (const [index, messages] of sessions.entries()) {
        for (const message of messages) yield { ...message, id: `${round}-${index}-${message.id}` };
      }
    }
  });
}

const LINES_READ = 120;

/** Reads, edits and tests, as coding agents do them; every tenth file is read again. */
export const codingLog: BenchLog = {
  name: "coding (made up)",
  build: (tokens) =>
    cut(tokens, function* () {
      const lines = codeCorpus(tokens * 6, 3).split("\n");
      yield { role: "user", content: "Mend what fails in src, and change nothing under src/generated." };
      for (let step = 0; ; step++) {
        const file = step % 10 === 9 ? step - 9 : step;
        const path = `src/module-${file % 200}/part-${file}.ts`;
        const start = (file * LINES_READ) % Math.max(1, lines.length - LINES_READ);
        const shown = lines.slice(start, start + LINES_READ);
        const numbered = shown.map((line, index) => `${index + 1}→${line}`).join("\n");
        yield* callAndResult(`read-${step}`, { name: "Read", input: { file_path: path } }, numbered);
        const edit = {
          file_path: path,
          old_string: shown.slice(3, 7).join("\n"),
          new_string: shown.slice(4, 9).join("\n"),
        };
        yield* callAndResult(`edit-${step}`, { name: "Edit", input: edit }, `The file ${path} was updated.`);
        const output = `${proseCorpus(300, step)}\nsrc/module-${step}/part.ts(12,7): error TS23${10 + (step % 90)}: no such name`;
        yield* callAndResult(`test-${step}`, { name: "Bash", input: { command: `npm test -- part-${step}` } }, output);
      }
    }),
};

/** Long outputs of commands: JSON of which no line comes twice. */
const terminalLog: BenchLog = {
  name: "terminal (made up)",
  build: (tokens) =>
    cut(tokens, function* () {
      yield { role: "user", content: "Find out why request 4711 was slow." };
      for (let step = 0; ; step++) {
        const command = `curl -s http://localhost:8080/traces/${step}?limit=50`;
        yield* callAndResult(`run-${step}`, { name: "Bash", input: { command } }, jsonCorpus(8_000, step));
      }
    }),
};

/** Prose alone: what has few identifiers. */
const talkLog: BenchLog = {
  name: "talk (made up)",
  build: (tokens) =>
    cut(tokens, function* () {
      for (let step = 0; ; step++) {
        yield { role: "user", content: proseCorpus(600, 2 * step) };
        yield { role: "assistant", content: proseCorpus(1_800, 2 * step + 1) };
      }
    }),
};

interface Call {
  readonly name: string;
  readonly input: object;
}

function* callAndResult(id: string, call: Call, content: string): Generator<Message> {
  yield { role: "assistant", content: [{ type: "tool_use", id, ...call }] };
  yield { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] };
}

/** A call that still runs may not be condensed, so a reply comes last. */
function cut(tokens: number, write: () => Iterable<Message>): readonly Message[] {
  const messages: Message[] = [];
  let left = tokens;
  for (const message of write()) {
    if (left <= 0 && message.role === "assistant") break;
    messages.push({ ...message, id: message.id ?? `m${messages.length}` });
    left -= countMessagesTokens([message]);
  }
  return [...messages, { id: "last", role: "assistant", content: "That is done. What next?" }];
}
