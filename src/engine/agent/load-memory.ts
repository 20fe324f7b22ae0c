import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { assert, assertArray, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { LoadedMemory } from "../../core/layers/load/loaded-memory.ts";
import type { MemoryFile } from "../../core/layers/load/memory-file.ts";
import { parseInstructions } from "../../core/layers/load/parse-instructions.ts";
import { parseChecklist, parseSkill, parseTemplate } from "../../core/layers/load/parse-procedures.ts";

/** Which files are read. Names are relative to the folder; files and folders that do not exist are skipped. */
export interface LoadMemoryOptions {
  /** Preferences and knowledge of the project. @default ["AGENTS.md", "CLAUDE.md"] */
  readonly instructionFiles?: readonly string[];
  /** Folders with a folder for each skill, which holds a SKILL.md. @default ["skills", ".agents/skills", ".claude/skills"] */
  readonly skillFolders?: readonly string[];
  /** Folders of markdown files. @default ["templates"] */
  readonly templateFolders?: readonly string[];
  /** Folders of markdown files with task lists. @default ["checklists"] */
  readonly checklistFolders?: readonly string[];
}

const DEFAULTS: Required<LoadMemoryOptions> = {
  instructionFiles: ["AGENTS.md", "CLAUDE.md"],
  skillFolders: ["skills", ".agents/skills", ".claude/skills"],
  templateFolders: ["templates"],
  checklistFolders: ["checklists"],
};
/** A larger file was hardly written for an agent to read. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads the files that people write for their agents: AGENTS.md and CLAUDE.md, skills, templates and checklists. Rejects with "invalid-configuration",
 * naming the file and the line, where a file cannot be read, and with "not-found" where there is no such folder.
 * @example
 * ```ts
 * import { mkdtemp, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { addLoadedMemory, createInitialState, loadMemory } from "palimpsest/agent";
 * const folder = await mkdtemp(join(tmpdir(), "project-"));
 * await writeFile(join(folder, "AGENTS.md"), "# Code style\n- Quotes: double\n");
 * const state = addLoadedMemory(createInitialState("Fix the login"), await loadMemory(folder));
 * console.log(state.l3_memory.semantic.preferences); // [ { key: 'Quotes', value: 'double' } ]
 * ```
 */
export async function loadMemory(folder: string, options: LoadMemoryOptions = {}): Promise<LoadedMemory> {
  assert(typeof folder === "string" && folder !== "", "folder", folder, "the path of a folder");
  assertObject("options", options);
  const { instructionFiles, skillFolders, templateFolders, checklistFolders } = checkedOptions(options);
  await assertFolder(folder);
  const instructions = withoutDuplicates(await readFiles(folder, instructionFiles)).map(parseInstructions);
  const [skills, templates, checklists] = await Promise.all([
    listFiles(folder, skillFolders, (name) => `${name}/SKILL.md`),
    listFiles(folder, templateFolders, markdownFile),
    listFiles(folder, checklistFolders, markdownFile),
  ]);
  return {
    preferences: instructions.flatMap(({ preferences }) => preferences),
    projectKnowledge: instructions.flatMap(({ projectKnowledge }) => projectKnowledge),
    skills: skills.map(parseSkill),
    templates: templates.map(parseTemplate),
    checklists: checklists.map(parseChecklist),
  };
}

function checkedOptions(options: LoadMemoryOptions): Required<LoadMemoryOptions> {
  const list = (name: keyof LoadMemoryOptions) => {
    const names = options[name] ?? DEFAULTS[name];
    assertArray(`options.${name}`, names);
    for (const path of names)
      assert(typeof path === "string" && path !== "", `options.${name}`, path, "names of files or folders");
    return names;
  };
  return {
    instructionFiles: list("instructionFiles"),
    skillFolders: list("skillFolders"),
    templateFolders: list("templateFolders"),
    checklistFolders: list("checklistFolders"),
  };
}

async function assertFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new PalimpsestError(
      "not-found",
      `There is no folder ${resolve(folder)}. Name the folder that holds AGENTS.md or skills/.`,
    );
}

function markdownFile(name: string): string | undefined {
  return name.endsWith(".md") ? name : undefined;
}

/** Lists the files of one folder in the order of their names, so that the same files always give the same memory. */
async function listFiles(
  folder: string,
  subfolders: readonly string[],
  fileOf: (name: string) => string | undefined,
): Promise<readonly MemoryFile[]> {
  const lists = await Promise.all(
    subfolders.map(async (subfolder) => {
      const names = await unlessMissing(readdir(join(folder, subfolder)), subfolder);
      return (names ?? []).toSorted().flatMap((name) => {
        const file = fileOf(name);
        return file === undefined ? [] : [`${subfolder}/${file}`];
      });
    }),
  );
  return readFiles(folder, lists.flat());
}

async function readFiles(folder: string, paths: readonly string[]): Promise<readonly MemoryFile[]> {
  const files = await Promise.all(paths.map((path) => readOne(folder, path)));
  return files.filter((file) => file !== undefined);
}

async function readOne(folder: string, path: string): Promise<MemoryFile | undefined> {
  const file = join(folder, path);
  const stats = await unlessMissing(stat(file), path);
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw refused(path, "it is no file");
  if (stats.size > MAX_FILE_BYTES)
    throw refused(path, `it has ${stats.size} bytes, and ${MAX_FILE_BYTES} are the most`);
  const bytes = await unlessMissing(readFile(file), path);
  if (bytes === undefined) return undefined;
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw refused(path, "it is not UTF-8");
  }
}

/** Awaits a read; undefined where there is no such file or folder. */
async function unlessMissing<Value>(reading: Promise<Value>, path: string): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw refused(path, describeError(error));
  }
}

function refused(path: string, problem: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-configuration",
    `${path} cannot be read: ${problem}. Mend it, or leave it out of the options.`,
  );
}

/** The files without repeated texts: many projects keep the same instructions under several names. */
function withoutDuplicates(files: readonly MemoryFile[]): readonly MemoryFile[] {
  return files.filter(({ text }, index) => files.findIndex((other) => other.text === text) === index);
}
