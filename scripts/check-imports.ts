/**
 * Holds the architecture: which folder of `src` may import which (docs/architecture.md).
 * Fails on a forbidden import, on a folder that the map does not name, on subfolders that import each other in a circle, and where `src` reads JSON with the platform's parser.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findNativeJson } from "./find-native-json.ts";
import { findBreaches, findFolderCycles, type SourceFile } from "./import-map.ts";

function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

const sources = ["src", "bench", "dashboard/src"].flatMap(readSources);
const breaches = [...findBreaches(sources), ...findFolderCycles(sources), ...findNativeJson(sources)];
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length === 0 ? 0 : 1;
