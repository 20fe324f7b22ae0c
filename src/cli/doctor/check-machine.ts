import { assertGit } from "../../checkpoints/git.ts";
import { describeError } from "../../core/describe-error.ts";
import { optionalPackages } from "../../gateway/optional-packages.ts";
import type { Environment } from "../terminal/output.ts";
import { tooOldNode } from "../terminal/too-old-node.ts";
import { type Finding, failed } from "./finding.ts";

/** Whether this Node is new enough. */
export function checkNode(version: string): Finding {
  const refusal = tooOldNode(version);
  if (refusal !== undefined) return { check: "node", result: "fault", text: refusal };
  return { check: "node", result: "ok", text: `Node ${version}` };
}

/** Whether this Node has SQLite with the full-text search that stored sessions need. */
export async function checkSqlite(): Promise<Finding> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    try {
      database.exec("CREATE VIRTUAL TABLE probe USING fts5 (terms, content = '', contentless_delete = 1)");
      const version = database.prepare("SELECT sqlite_version() AS version").get()?.version;
      return { check: "sqlite", result: "ok", text: `SQLite ${version} with FTS5` };
    } finally {
      database.close();
    }
  } catch (error) {
    const fix = "Stored sessions need SQLite 3.43 or newer with FTS5: install a Node of nodejs.org.";
    return { check: "sqlite", result: "fault", text: `${describeError(error)}. ${fix}` };
  }
}

/** Whether git can save an agent's files. */
export async function checkGit(): Promise<Finding> {
  try {
    return { check: "git", result: "ok", text: `git ${(await assertGit("git")).join(".")}, for checkpoints of files` };
  } catch (error) {
    // `run` goes on without checkpoints.
    return failed("git", error, "note");
  }
}

/** Which packages for single features are installed. */
export function checkPackages(): Finding {
  const packages = optionalPackages();
  const listed = (isInstalled: boolean) =>
    packages.flatMap((one) => (one.isInstalled === isInstalled ? [one.name] : [])).join(", ") || "none";
  return { check: "packages", result: "ok", text: `installed: ${listed(true)}; not installed: ${listed(false)}` };
}

/** Which keys of providers the environment holds. Only their names are told. */
export async function checkKeys(environment: Environment): Promise<Finding> {
  const { PROVIDERS } = await import("../../providers/ai-sdk/provider-table.ts");
  const names = [...new Set(Object.values(PROVIDERS).flatMap(({ key }) => key.variables))];
  const set = names.filter((name) => (environment[name] ?? "").trim() !== "");
  if (set.length > 0) return { check: "keys", result: "ok", text: `set: ${set.join(", ")}` };
  const why = "Agents that sign in by themselves need none; others, and --condense-with, need their provider's.";
  return { check: "keys", result: "note", text: `none of ${names.join(", ")} is set. ${why}` };
}
