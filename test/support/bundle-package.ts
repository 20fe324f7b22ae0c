import { resolve } from "node:path";
import { type RolldownBuild, rolldown } from "rolldown";

const repository = resolve(import.meta.dirname, "../..");
const ENTRY = resolve(repository, "consumer.js");

export interface BundleChoices {
  /** Leaves the vocabulary out, as a worker would that loads it by itself. @default false */
  readonly withoutVocabulary?: boolean;
  readonly isMinified?: boolean;
  /** @default "neutral" */
  readonly platform?: "neutral" | "node" | "browser";
  /** What free names are replaced by. */
  readonly define?: Readonly<Record<string, string>>;
}

/** What a person's bundler makes of a program that imports the built package, in one file: what is loaded later counts too. */
export async function bundleConsumer(program: string, choices: BundleChoices = {}): Promise<string> {
  const { withoutVocabulary = false, isMinified = false } = choices;
  const built = await openBundler(program, choices);
  const { output } = await built.generate({
    format: withoutVocabulary ? "esm" : "iife",
    minify: isMinified,
    codeSplitting: false,
  });
  await built.close();
  const [{ code }, ...others] = output;
  if (others.length > 0) throw new Error(`The bundle is not one file but ${output.length}.`);
  return code;
}

/** What is loaded with such a program, before anything that it loads only when it needs it. */
export async function bundleInitial(program: string, choices: BundleChoices = {}): Promise<string> {
  const built = await openBundler(program, choices);
  const { output } = await built.generate({ format: "esm", minify: choices.isMinified ?? false });
  await built.close();
  const chunks = new Map(output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])));
  const loaded = new Set([output[0].fileName]);
  // A set may grow while it is walked.
  for (const name of loaded) for (const imported of chunks.get(name)?.imports ?? []) loaded.add(imported);
  return [...loaded].map((name) => chunks.get(name)?.code ?? "").join("\n");
}

/** Writes what a bundler makes of such a program that puts what is loaded later into files of its own, and gives the path of the first. */
export async function bundleSplit(program: string, folder: string): Promise<string> {
  const built = await openBundler(program, {});
  const { output } = await built.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  await built.close();
  return resolve(folder, output[0].fileName);
}

async function openBundler(program: string, choices: BundleChoices): Promise<RolldownBuild> {
  const { withoutVocabulary = false, platform = "neutral", define = {} } = choices;
  return rolldown({
    cwd: repository,
    input: ENTRY,
    platform,
    external: withoutVocabulary ? ["#o200k-vocabulary"] : [],
    onLog(_, log) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    },
    transform: { define: { ...define } },
    plugins: [
      {
        name: "consumer",
        load: (id) => (id === ENTRY ? program : null),
        resolveId: (id) => (id === ENTRY ? id : null),
      },
    ],
  });
}
