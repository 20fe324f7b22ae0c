import type { SourceFile } from "./import-map.ts";

/** The only files that may use the platform's parser: they know where it is wrong, or are programs for another process, which has none of ours. */
const MAY_PARSE: ReadonlySet<string> = new Set([
  "src/core/json/parse-json.ts",
  "src/core/json/build-json.ts",
  "src/cli/gateway/pi-extension.ts",
]);

/** `JSON.parse` in any spelling, and the `json()` of a request or a response. */
const NATIVE = /\bJSON\s*(?:(?:\?\.|\.)\s*parse\b|\[)|\}\s*=\s*JSON\b|\.json\(\s*\)/;

const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** One line for each place in `src` that reads JSON with the platform's parser, which takes some names for others. */
export function findNativeJson(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith("src/") && !path.endsWith(".test.ts") && !MAY_PARSE.has(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        if (COMMENT.test(line) || !NATIVE.test(line)) return [];
        return [
          `${path}:${index + 1}: reads JSON with the platform's parser; use parseJson of src/core/json/parse-json.ts`,
        ];
      }),
    );
}
