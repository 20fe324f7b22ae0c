import { readFileSync } from "node:fs";
import { parseJson } from "../core/json/parse-json.ts";
import { fieldAt } from "../core/json/read-json.ts";

/** The version of this package. */
export function packageVersion(): string {
  const manifest = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String(fieldAt(manifest, "version"));
}
