import { createRequire } from "node:module";

/** The version of this package, read from its package.json, so that `palimpsest --version` need not load the rest of the package. */
export function packageVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)("../../package.json");
  return manifest.version;
}
