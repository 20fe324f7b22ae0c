import { createRequire } from "node:module";

/** The version of this package. Node reads the file itself: `palimpsest --version` does without the rest of the package then. */
export function packageVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)("../../package.json");
  return manifest.version;
}
