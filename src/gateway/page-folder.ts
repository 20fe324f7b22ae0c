import { fileURLToPath } from "node:url";

/** The folder of the built dashboard: the same below the sources and below the bundled files. */
export function pageFolder(): string {
  return fileURLToPath(new URL("../../dist/dashboard", import.meta.url));
}
