/**
 * Bundles the dashboard into `dist/dashboard`: a page, and files whose names hold a hash of their content, so that browsers may keep
 * them for ever. `report.js` and `report.css` are for `palimpsest inspect --html`, which writes them into one file.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";

const repository = resolve(import.meta.dirname, "..");
const source = (name: string) => join(repository, "dashboard/src", name);
const target = join(repository, "dist/dashboard");

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const style = styleSheet();
const script = writeHashed("main", "js", await bundle("main.tsx", "esm"));
const icon = writeHashed("icon", "svg", readFileSync(source("icon.svg"), "utf8"));
// The style sheet is in the page itself: one of its own is one more request before anything is painted.
const page = readFileSync(source("index.html"), "utf8")
  .replace("{script}", () => script)
  .replace("{icon}", () => icon)
  .replace('<link rel="stylesheet" href="{style}" />', () => `<style>${style}</style>`);
writeServed("index.html", page);
writeFileSync(join(target, "report.js"), await bundle("report.tsx", "iife"));
writeFileSync(join(target, "report.css"), style);

/** One script with everything in it. */
async function bundle(entry: string, format: "esm" | "iife"): Promise<string> {
  const built = await rolldown({
    cwd: repository,
    input: source(entry),
    platform: "browser",
    transform: { target: "es2022" },
  });
  const { output } = await built.generate({ format, minify: true, codeSplitting: false });
  await built.close();
  return output[0].code;
}

/** All style sheets, in the order of their names, without comments and indentation. */
function styleSheet(): string {
  const folder = source("style");
  const sheets = readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return sheets
    .join("\n")
    .replace(/\/\*[^*]*\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trim();
}

function writeHashed(name: string, ending: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const fileName = `${name}-${hash}.${ending}`;
  writeServed(fileName, text);
  return fileName;
}

/** Once more, compressed, for browsers that read it: nobody waits for that when the gateway serves it. */
function writeServed(fileName: string, text: string): void {
  writeFileSync(join(target, fileName), text);
  writeFileSync(join(target, `${fileName}.br`), brotliCompressSync(text));
}
