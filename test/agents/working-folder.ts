import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A folder with notes for an agent to read, each with one fact that stands nowhere else. */
export interface WorkingFolder {
  readonly path: string;
  /** One per note, in order. */
  readonly commands: readonly string[];
  readonly facts: readonly Fact[];
}

export interface Fact {
  /** What somebody would ask for. */
  readonly question: string;
  /** What they must find; it occurs once. */
  readonly answer: string;
}

export interface WorkingFolderOptions {
  readonly notes: number;
  /** Part of every answer: two folders share none. */
  readonly owner: string;
}

const HARBOURS = ["Alba", "Brine", "Cobalt", "Delta", "Ember", "Fjord", "Gannet", "Heron", "Inlet", "Jetty"];
const LINES_PER_NOTE = 56;

/** Notes of about three kilobytes each. */
export function makeWorkingFolder(path: string, { notes, owner }: WorkingFolderOptions): WorkingFolder {
  mkdirSync(path, { recursive: true });
  const numbers = Array.from({ length: notes }, (_, index) => index);
  const facts = numbers.map((number) => factOf(number, owner));
  for (const number of numbers) writeFileSync(join(path, nameOf(number)), noteOf(number, facts[number]));
  return { path, commands: numbers.map(commandOf), facts };
}

function factOf(number: number, owner: string): Fact {
  const place = `${HARBOURS[number % HARBOURS.length]}${"abcdefgh"[Math.floor(number / HARBOURS.length)]}`;
  return { question: `harbour code of ${place}`, answer: `The harbour code of ${place} is ${owner}-${number * 7919}.` };
}

/** It stays a moment: an agent that looks too late would not see what a command said. */
function commandOf(number: number): string {
  return `cat ${nameOf(number)} && sleep 0.1`;
}

function nameOf(number: number): string {
  return `note-${String(number + 1).padStart(2, "0")}.txt`;
}

function noteOf(number: number, fact: Fact | undefined): string {
  const lines = Array.from({ length: LINES_PER_NOTE }, (_, line) => {
    return `Depot ${number}, row ${line}: crate ${(number * 131 + line * 17) % 9973} holds ${line * 3 + number} units of grain.`;
  });
  lines.splice(LINES_PER_NOTE / 2, 0, fact?.answer ?? "");
  return `${lines.join("\n")}\n`;
}
