/**
 * Takes the place of the vocabulary's own module where Node runs the package as it is installed (`imports` in package.json):
 * a megabyte is read when the first text is counted, not by everyone who imports the package.
 */
export function readMerges(): { readonly merges: string; readonly checksum: number } {
  const { createRequire } = process.getBuiltinModule("node:module");
  const vocabulary: typeof import("../core/tokens/o200k/vocabulary.generated.ts") = createRequire(import.meta.url)(
    "./o200k.js",
  );
  return vocabulary.readMerges();
}
