import { resolve } from "node:path";
import { rolldown } from "rolldown";

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

/** What a person's bundler makes of a program that imports the built package. */
export async function bundleConsumer(program: string, choices: BundleChoices = {}): Promise<string> {
  const { withoutVocabulary = false, isMinified = false, platform = "neutral", define = {} } = choices;
  const built = await rolldown({
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
  // What is loaded later counts too: it is all in one file.
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
