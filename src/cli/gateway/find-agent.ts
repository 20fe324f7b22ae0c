import type { Agent } from "./agent.ts";
import { AGENTS } from "./agents.ts";

/** The agent that a command starts. */
export interface FoundAgent {
  /** Undefined if it is none that we know. */
  readonly agent: Agent | undefined;
  /** The index of its name in the command: its own arguments follow. */
  readonly place: number;
}

/** Programs that start other programs, each with the subcommands of which one must follow; none if it does nothing else. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  npm: ["exec", "x"],
  pnpm: ["dlx", "exec"],
  yarn: ["dlx", "exec"],
  bun: ["x", "run"],
  pipx: ["run"],
  node: [],
  deno: ["run"],
  env: [],
};

/** Options of these programs whose value is the next word. */
const OPTIONS_WITH_VALUES: ReadonlySet<string> = new Set([
  "-p",
  "--package",
  "--from",
  "-r",
  "--require",
  "--import",
  "-u",
]);

/** Recognises an agent by its program, also behind `npx` and the like, or by the path of its script. */
export function findAgent(command: readonly string[]): FoundAgent {
  const place = placeOfProgram(command);
  const name = command[place] ?? "";
  return { agent: agentNamed(name), place };
}

function placeOfProgram(command: readonly string[]): number {
  const runner = nameOfProgram(command[0] ?? "");
  if (!Object.hasOwn(RUNNERS, runner)) return 0;
  const words = RUNNERS[runner] ?? [];
  if (words.length > 0 && !words.includes(command[1] ?? "")) return 0;
  for (let place = words.length > 0 ? 2 : 1; place < command.length; place++) {
    const word = command[place] ?? "";
    if (OPTIONS_WITH_VALUES.has(word)) place++;
    else if (!word.startsWith("-") && !isAssignment(runner, word)) return place;
  }
  return 0;
}

function isAssignment(runner: string, word: string): boolean {
  return runner === "env" && /^\w+=/.test(word);
}

function agentNamed(word: string): Agent | undefined {
  const program = nameOfProgram(word);
  const installed = packageOf(word);
  return AGENTS.find(({ programs, packages }) => programs.includes(program) || packages.includes(installed));
}

/** `/usr/bin/codex` → codex; `claude.cmd` → claude */
function nameOfProgram(word: string): string {
  const file = word.split(/[\\/]/).at(-1) ?? "";
  return file.replace(/\.(exe|cmd|bat|ps1)$/i, "");
}

/** `@openai/codex@latest` → @openai/codex; a path into `node_modules` → the package that it is in. */
function packageOf(word: string): string {
  const inModules = packageInModules(word.split(/[\\/]/));
  return inModules ?? word.replace(/(?<=.)@[^/@]*$/, "");
}

function packageInModules(parts: readonly string[]): string | undefined {
  // A folder's name counts only if a file of the package, or at least a slash, follows.
  const isPackage = (at: number) => (parts[at] ?? "") !== "" && at + 1 < parts.length;
  const modules = parts.findLastIndex((part, at) => part === "node_modules" && isPackage(at + 1));
  if (modules < 0) return undefined;
  const [first = "", second] = parts.slice(modules + 1);
  const isScoped = /^@./.test(first) && isPackage(modules + 2);
  return isScoped ? `${first}/${second}` : first;
}
