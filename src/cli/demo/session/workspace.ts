import type { Call } from "./script.ts";

/**
 * The agent's tools over files held in memory, so that every read shows what the edits before it left.
 * The storyline names a file by its path, or by its last part without `.ts` where only one file has it.
 */
export interface Workspace {
  list(folder: string): Call;
  /** One call per file. */
  read(...files: readonly string[]): readonly Call[];
  search(text: string, folder?: string): Call;
  write(path: string, content: string): Call;
  edit(file: string, before: string, after: string): Call;
  /** Runs a command whose output the storyline supplies. */
  run(command: string, output: string): Call;
  commit(hash: string, subject: string, change: string): Call;
}

const MAXIMUM_HITS = 70;

/** Opens a workspace on a copy of the files (path → content). */
export function openWorkspace(original: ReadonlyMap<string, string>): Workspace {
  const files = new Map(original);
  const pathOf = (file: string): string =>
    [...files.keys()].find((path) => path === file || path.endsWith(`/${file}`) || path.endsWith(`/${file}.ts`)) ??
    file;
  const pathsUnder = (folder: string): readonly string[] =>
    [...files.keys()].filter((path) => folder === "." || path === folder || path.startsWith(`${folder}/`)).sort();
  const readOne = (path: string): Call => {
    const content = files.get(path);
    return content === undefined
      ? failed("read_file", { path }, `No such file: ${path}`)
      : done("read_file", { path }, numbered(content));
  };
  return {
    list: (folder) => done("list_files", { path: folder, recursive: true }, pathsUnder(folder).join("\n")),
    read: (...names) => names.map((name) => readOne(pathOf(name))),
    search: (text, folder = ".") => {
      const hits = pathsUnder(folder).flatMap((path) => linesWith(text, path, files.get(path) ?? ""));
      const more = hits.length > MAXIMUM_HITS ? [`… and ${hits.length - MAXIMUM_HITS} more`] : [];
      const shown = [`${hits.length} matches for ${text}`, ...hits.slice(0, MAXIMUM_HITS), ...more];
      return done("search", { pattern: text, path: folder }, shown.join("\n"));
    },
    write: (path, content) => {
      files.set(path, content);
      return done("write_file", { path, content }, `Wrote ${path} (${content.split("\n").length} lines)`);
    },
    edit: (file, before, after) => {
      const path = pathOf(file);
      const input = { path, old_text: before, new_text: after };
      const content = files.get(path) ?? "";
      const at = content.indexOf(before);
      if (at < 0) return failed("edit_file", input, `old_text was not found in ${path}. Read the file again.`);
      files.set(path, content.slice(0, at) + after + content.slice(at + before.length));
      return done("edit_file", input, `Edited ${path} at line ${content.slice(0, at).split("\n").length}`);
    },
    run: (command, output) => done("run_command", { command }, output),
    commit: (hash, subject, change) => {
      const command = `git commit -m '${subject}'`;
      return done("run_command", { command }, `[main ${hash}] ${subject}\n ${change}`);
    },
  };
}

function done(name: string, input: Call["input"], output: string): Call {
  return { name, input, output, isError: false };
}

function failed(name: string, input: Call["input"], output: string): Call {
  return { name, input, output, isError: true };
}

function numbered(content: string): string {
  const lines = content.split("\n");
  return lines.map((line, index) => `${String(index + 1).padStart(4)}  ${line}`).join("\n");
}

function linesWith(text: string, path: string, content: string): readonly string[] {
  const lines = content.split("\n").map((line, index) => ({ line, number: index + 1 }));
  return lines.filter(({ line }) => line.includes(text)).map(({ line, number }) => `${path}:${number}: ${line.trim()}`);
}
