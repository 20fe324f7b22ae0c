import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Door, PublicValue } from "../../scripts/public-face.ts";

/** One `@example` of a public value: a whole module, and what its comments say that it prints. */
export interface SymbolExample {
  readonly name: string;
  readonly code: string;
  readonly expected: readonly string[];
}

export interface ExampleRun {
  readonly printed: readonly string[];
  readonly error?: string;
}

const repository = resolve(import.meta.dirname, "../..");

/** Public values by where they are declared: many are exported by several doors. */
export function distinctValues(doors: readonly Door[]): readonly PublicValue[] {
  const values = doors.flatMap((door) => door.values);
  return [...new Map(values.map((value) => [`${value.file}#${value.name}`, value])).values()];
}

export function examplesOf({ name, examples }: PublicValue): readonly SymbolExample[] {
  return examples.map((text) => {
    const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
    const expected = [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map(([, said = ""]) => said);
    return { name, code, expected };
  });
}

/** Writes each example into a file of a project that has the package installed. */
export function writeExamples(folder: string, examples: readonly SymbolExample[]): void {
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], strict: true, noEmit: true, noUnusedLocals: true },
    ...{ moduleDetection: "force", types: ["node"], typeRoots: [join(repository, "node_modules/@types")] },
    allowImportingTsExtensions: true,
  };
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(repository, join(folder, "node_modules/palimpsest"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  for (const [index, { code }] of examples.entries()) writeFileSync(join(folder, `example-${index}.ts`), code);
  writeFileSync(join(folder, "run.mjs"), RUNNER);
}

/** One after the other in one process; what each prints is kept apart. */
const RUNNER = `
import { format } from "node:util";
const count = Number(process.argv[2]);
const runs = [];
const { log } = console;
for (let index = 0; index < count; index++) {
  const printed = [];
  console.log = (...values) => void printed.push(format(...values).replace(/\\s+/g, " "));
  const error = await import("./example-" + index + ".ts").then(() => undefined, (thrown) => String(thrown));
  runs.push({ printed, ...(error === undefined ? {} : { error }) });
}
log(JSON.stringify(runs));
`;

/** What the compiler says against them; empty when all is well. */
export function typeErrors(folder: string): string {
  const { stdout } = spawnSync(join(repository, "node_modules/.bin/tsc"), ["-p", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout;
}

export function runExamples(folder: string, count: number, environment: NodeJS.ProcessEnv): readonly ExampleRun[] {
  const env = { ...process.env, ...environment };
  const printed = execFileSync(process.execPath, ["run.mjs", String(count)], { cwd: folder, env, encoding: "utf8" });
  return JSON.parse(printed);
}
