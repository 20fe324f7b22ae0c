import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { codex } from "./agents/codex.ts";
import { installAgent } from "./install-agent.ts";

/**
 * Folders with the program that opencode lists files by. It downloads it where it is missing, which takes another network than
 * the registry: Codex brings one along.
 */
export async function findRipgrep(): Promise<readonly string[]> {
  const installation = await installAgent(codex);
  if (installation.type === "missing") return [];
  const packages = join(dirname(installation.executable), "..");
  return globSync(join(packages, "@openai/*/vendor/*/codex-path/rg")).map(dirname);
}
