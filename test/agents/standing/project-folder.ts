import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProjectLayout } from "../agent.ts";

/** A project whose files bind an agent that works in it. Every line of them occurs once. */
export interface ProjectFolder {
  readonly path: string;
  readonly guide: readonly string[];
  /** Of the skill that is loaded. */
  readonly skill: readonly string[];
  /** What the model is told of all skills, one line each. */
  readonly skillListing: readonly string[];
  /** What it is told of the types of sub-agents, one line each. */
  readonly agentTypes: readonly string[];
  /** Of the guides in all sub-folders. */
  readonly nestedGuides: readonly string[];
  /** A file in each sub-folder, by absolute path. */
  readonly nestedFiles: readonly string[];
  /** A file that is read more than once. */
  readonly charter: ProjectFile;
  /** What the work consists of. */
  note(number: number): ProjectFile;
}

export interface ProjectFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly lines: readonly string[];
}

export const SKILL_NAME = "harbour-protocol";

const GUIDE_LINES = 90;
const SKILL_LINES = 60;
const NESTED_LINES = 12;
const CHARTER_LINES = 168;
const OTHER_SKILLS = 13;
const AGENT_TYPES = 5;
const SUB_FOLDERS = ["alpha", "bravo", "charlie"];

export interface ProjectOptions {
  /** Of each note; a line has about twenty tokens. */
  readonly noteLines: number;
}

/** Writes a project into a folder, laid out as the agent expects it. */
export function makeProject(path: string, layout: ProjectLayout, { noteLines }: ProjectOptions): ProjectFolder {
  const write = (name: string, lines: readonly string[]): ProjectFile => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join("\n")}\n`);
    return { name, path: file, lines };
  };
  const guide = numbered(GUIDE_LINES, ruleOf);
  write(layout.guide, ["# Guide to this project", "", ...guide]);
  const charter = numbered(CHARTER_LINES, (n) => `Article ${n}: lot ${n * 37} belongs to guild heron-${n}.`);
  return {
    path,
    guide,
    ...writeSkills(layout, write),
    agentTypes: writeAgentTypes(layout, write),
    nestedGuides: writeNestedGuides(layout, write),
    nestedFiles: SUB_FOLDERS.map((folder) => write(`${folder}/part.txt`, [`This is a part of ${folder}.`]).path),
    charter: write("charter.txt", charter),
    note: (number) => write(`note-${number}.txt`, linesOfNote(number, noteLines)),
  };
}

/** Not every rule of a project is worded as one. */
function ruleOf(number: number): string {
  switch (number % 3) {
    case 0:
      return `Rule ${number}: never rename module kestrel-${number}.`;
    case 1:
      return `Convention ${number}: tests of kestrel-${number} live beside its code.`;
    default:
      return `Fact ${number}: module kestrel-${number} is built with make.`;
  }
}

type WriteFile = (name: string, lines: readonly string[]) => ProjectFile;

function writeSkills({ skills }: ProjectLayout, write: WriteFile): Pick<ProjectFolder, "skill" | "skillListing"> {
  const skill = numbered(SKILL_LINES, (n) => `Protocol step ${n}: signal tower tern-${n} before docking.`);
  const repairs = numbered(OTHER_SKILLS, (n) => `Repairs crane osprey-${n} of the eastern quay.`);
  const skillListing = ["Docks a vessel by the protocol of this harbour.", ...repairs];
  for (const [index, description] of skillListing.entries()) {
    if (skills === undefined) break;
    const name = index === 0 ? SKILL_NAME : `crane-${index}`;
    const body = index === 0 ? skill : [`Grease the joints of osprey-${index}.`];
    write(join(skills, name, "SKILL.md"), [...header(name, description), ...body]);
  }
  return { skill, skillListing };
}

function writeAgentTypes({ agentType }: ProjectLayout, write: WriteFile): readonly string[] {
  const descriptions = numbered(AGENT_TYPES, (n) => `Inspects pier gannet-${n} for rust.`);
  for (const [index, description] of descriptions.entries()) {
    const name = `inspector-${index + 1}`;
    if (agentType !== undefined) write(agentType(name), [...header(name, description), "You inspect one pier."]);
  }
  return descriptions;
}

function writeNestedGuides({ nestedGuide }: ProjectLayout, write: WriteFile): readonly string[] {
  return SUB_FOLDERS.flatMap((folder) => {
    const lines = numbered(NESTED_LINES, (n) => `Custom ${n} of ${folder}: ring bell plover-${folder}-${n}.`);
    const { path, head = [] } = nestedGuide?.(folder) ?? {};
    if (path !== undefined) write(path, [...head, ...lines]);
    return lines;
  });
}

function header(name: string, description: string): readonly string[] {
  return ["---", `name: ${name}`, `description: ${description}`, "---", ""];
}

function linesOfNote(number: number, count: number): readonly string[] {
  return numbered(count, (row) => {
    return `Depot ${number}, row ${row}: crate ${(number * 131 + row * 17) % 9973} holds ${row * 3 + number} units of grain.`;
  });
}

function numbered(count: number, lineOf: (number: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => lineOf(index + 1));
}
