import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The file of a guide, as a person can open it: the guides are part of the package, and the package may be installed anywhere. This file and the
 * bundled chunks lie two folders below the package.
 */
export function guidePath(guide: string, workingFolder = process.cwd()): string {
  const path = fileURLToPath(new URL(`../../docs/guides/${guide}.md`, import.meta.url));
  const below = relative(workingFolder, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}
