import { assert, assertArray, assertObject } from "../assert.ts";
import type { Phase } from "../layers/layered-state.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** For each phase, the names, aliases or capabilities of the tools that are shown in it. */
export type PhaseMap = Readonly<Record<Phase, readonly string[]>>;

const LOOKING = ["search", "analyze", "estimate", "readFile"] as const;

/**
 * The default map. A task that begins or has failed gets tools for reading; one that is completed needs none.
 * @example
 * ```ts
 * import { DEFAULT_PHASE_MAP } from "palimpsest/agent";
 * console.log(DEFAULT_PHASE_MAP.planning.includes("readFile"), DEFAULT_PHASE_MAP.completed); // true []
 * ```
 */
export const DEFAULT_PHASE_MAP: PhaseMap = {
  initializing: LOOKING,
  planning: LOOKING,
  executing: ["writeFile", "execute", "modify", "test", "readFile", "search"],
  reflecting: ["evaluate", "test", "compare", "measure"],
  verifying: ["verify", "audit", "approve"],
  completed: [],
  failed: LOOKING,
};

/** The default map with some phases replaced. */
export function resolvePhaseMap(changes: Partial<PhaseMap>): PhaseMap {
  assertObject("options.phaseMap", changes);
  for (const [phase, names] of Object.entries(changes)) {
    const phases = Object.keys(DEFAULT_PHASE_MAP);
    assert(phases.includes(phase), "options.phaseMap", phase, `by phase: ${phases.join(", ")}`);
    assertArray(`options.phaseMap.${phase}`, names);
    for (const name of names) assert(typeof name === "string", `options.phaseMap.${phase}`, name, "a list of names");
  }
  return { ...DEFAULT_PHASE_MAP, ...changes };
}

/** Whether a phase that lists these names shows the tool. */
export function isListed(tool: ToolDefinition, names: readonly string[]): boolean {
  const own = namesOf(tool);
  return names.some((name) => own.has(plainName(name)));
}

const namesByTool = new WeakMap<ToolDefinition, ReadonlySet<string>>();

function namesOf(tool: ToolDefinition): ReadonlySet<string> {
  const cached = namesByTool.get(tool);
  if (cached !== undefined) return cached;
  const { name, aliases = [], capabilities = [] } = tool;
  const ownNames = [name, lastPart(name), ...aliases].map(plainName);
  const names = new Set([...ownNames, ...ownNames.flatMap(knownCapabilities), ...capabilities.map(plainName)]);
  namesByTool.set(tool, names);
  return names;
}

/** The tools of well-known agents by capability: Claude Code, Codex, Gemini CLI, Roo and Cline, OpenHands, opencode, pi. */
const KNOWN_TOOL_NAMES: Readonly<Record<string, readonly string[]>> = {
  readFile: [
    ...["read", "view", "cat", "view_file", "open_file", "read_many_files", "view_image", "notebook_read"],
    ...["ls", "list", "list_dir", "list_directory", "list_files", "str_replace_editor", "str_replace_based_edit_tool"],
  ],
  search: [
    ...["grep", "glob", "find", "find_files", "search_files", "file_search", "grep_files", "search_file_content"],
    ...["codebase_search", "list_code_definition_names", "web_search", "google_web_search", "web_fetch", "fetch"],
  ],
  writeFile: ["write", "write_to_file", "create_file", "new_file"],
  modify: [
    ...["edit", "multi_edit", "edit_file", "notebook_edit", "apply_diff", "apply_patch", "patch", "replace"],
    ...["replace_in_file", "search_and_replace", "insert_content", "str_replace"],
    ...["str_replace_editor", "str_replace_based_edit_tool"],
  ],
  execute: [
    ...["bash", "shell", "local_shell", "exec", "exec_command", "execute_command", "execute_bash", "run_command"],
    ...["run_shell_command", "terminal", "execute_ipython_cell"],
  ],
  test: ["run_test", "run_tests", "test_runner"],
};

const capabilitiesByName: ReadonlyMap<string, readonly string[]> = indexKnownNames();

function indexKnownNames(): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const [capability, names] of Object.entries(KNOWN_TOOL_NAMES)) {
    for (const name of names.map(plainName)) {
      const list = index.get(name);
      if (list === undefined) index.set(name, [plainName(capability)]);
      else list.push(plainName(capability));
    }
  }
  return index;
}

function knownCapabilities(name: string): readonly string[] {
  return capabilitiesByName.get(name) ?? [];
}

/** The name without a server's prefix: `read_file` for `mcp__files__read_file` and `files.read_file`. */
function lastPart(name: string): string {
  return name.split(/__|[./:]/).at(-1) ?? name;
}

/** A name in lower case without separators: the same for `readFile`, `read_file` and `Read-File`. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
