import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export interface OptionalPackage {
  readonly name: string;
  readonly isInstalled: boolean;
}

/** The packages that people install beside this one for single features, by its package.json. None is loaded. */
export function optionalPackages(): readonly OptionalPackage[] {
  const require = createRequire(import.meta.url);
  const { peerDependencies }: { readonly peerDependencies: object } = require("../../package.json");
  return Object.keys(peerDependencies).map((name) => {
    // Not `require.resolve`, which refuses packages that can only be imported.
    const folders = require.resolve.paths(name) ?? [];
    return { name, isInstalled: folders.some((folder) => existsSync(join(folder, name, "package.json"))) };
  });
}
