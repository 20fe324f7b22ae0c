import { fileURLToPath } from "node:url";

/** The folder of the built dashboard. The relative path is the same from the sources and from the bundled files. */
export function pageFolder(): string {
  return fileURLToPath(new URL("../../dist/dashboard", import.meta.url));
}
