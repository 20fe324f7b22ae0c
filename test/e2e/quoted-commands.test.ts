/** Commands that the guides quote with what they print: run in their order, on the session that each page names. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { PALIMPSEST_MAIN } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const repository = resolve(import.meta.dirname, "../..");

interface Quote {
  readonly command: string;
  readonly output: string;
}

// The commands are written for a shell of Unix.
test.skipIf(process.platform === "win32").each([
  ["session-files", 'node "$EXAMPLES/session-file.ts" session.jsonl'],
  ["sessions", 'node "$EXAMPLES/session-file.ts" session.jsonl'],
  ["statement", "true"],
])("the %s guide shows what its commands print", (page, preparation) => {
  const folder = temporaryFolder();
  inShell(preparation, folder);
  const quotes = readQuotes(readFileSync(join(repository, `docs/guides/${page}.md`), "utf8"));
  expect(quotes.length).toBeGreaterThan(1);
  for (const { command, output } of quotes)
    expect(`$ ${command}\n${inShell(command, folder)}`).toBe(lines(command, output));
});

function lines(command: string, output: string): string {
  return `$ ${command}\n${steady(output)}`;
}

/** A block may quote several commands, each behind a dollar sign. */
function readQuotes(text: string): readonly Quote[] {
  const blocks = [...text.matchAll(/^```\n(\$ [\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block.split(/^\$ /m).flatMap((part) => {
      const [command = "", ...rest] = part.split("\n");
      return command === "" ? [] : [{ command, output: rest.join("\n") }];
    }),
  );
}

/** Both outputs, as a person sees them. */
function inShell(command: string, folder: string): string {
  const script = `exec 2>&1; palimpsest() { "$NODE" "$MAIN" "$@"; }; ${command.replace("node examples/", 'node "$EXAMPLES"/')}`;
  const env = {
    ...process.env,
    PALIMPSEST_HOME: folder,
    NODE: process.execPath,
    MAIN: PALIMPSEST_MAIN,
    EXAMPLES: join(repository, "examples"),
  };
  const { status, stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8" });
  expect(status, `${command}\n${stdout}`).toBe(0);
  return command.startsWith("node examples/") ? "" : steady(stdout);
}

/** Without what differs from run to run: a chain head covers times, and a slow machine shows other ages, in columns of other widths. */
function steady(output: string): string {
  const timeless = output.replace(/(chain head {2})\S+/, "$1…").replace(/just now|\d+ \w+ ago/g, "just now");
  return timeless.replace(/ {2,}/g, "  ").trim();
}
