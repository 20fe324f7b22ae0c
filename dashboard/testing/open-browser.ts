/**
 * A real browser for the tests and the bench of the dashboard: the Chromium inside the npm package @sparticuz/chromium, which needs no
 * download and no root; where that does not run, one that is installed. `PALIMPSEST_BROWSER` names another.
 */
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

export type OpenedBrowser =
  | { readonly type: "open"; readonly browser: Browser }
  /** `why` says what was tried. */
  | { readonly type: "none"; readonly why: string };

/** No GPU and no sandbox: both are missing in containers. Nothing here loosens what the page may do. */
const BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
const INSTALLED = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser"];

/** Starts a browser; says why where there is none. */
export async function openBrowser(): Promise<OpenedBrowser> {
  const tried: string[] = [];
  for (const find of [namedBrowser, packagedBrowser, installedBrowser]) {
    try {
      const executablePath = await find();
      if (executablePath === undefined) continue;
      tried.push(executablePath);
      return { type: "open", browser: await chromium.launch({ executablePath, args: BROWSER_ARGUMENTS }) };
    } catch (error) {
      const [firstLine = ""] = String(error).split("\n", 1);
      tried.push(firstLine);
    }
  }
  return { type: "none", why: tried.length === 0 ? "no Chromium was found" : tried.join("; ") };
}

async function namedBrowser(): Promise<string | undefined> {
  return process.env.PALIMPSEST_BROWSER || undefined;
}

async function installedBrowser(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => INSTALLED.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Decompressed once for each version, into the folder of what was made from packages; several processes may do it at once. */
async function packagedBrowser(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const folder = resolve(dirname(entry), "..");
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const target = resolve(folder, `../../.palimpsest/chromium-${version}`);
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  const part = `${target}.${randomUUID()}`;
  try {
    await pipeline(
      createReadStream(join(folder, "bin/chromium.br")),
      createBrotliDecompress(),
      createWriteStream(part, { mode: 0o755 }),
    );
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
  return target;
}
