import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import {
  type WorkspaceCheckpoints,
  type WorkspaceCheckpointsOptions,
  workspaceCheckpoints,
} from "../../src/checkpoints/index.ts";

export interface TestWorkspace {
  /** The files. */
  readonly folder: string;
  /** Where checkpoints go; beside the files. */
  readonly storageFolder: string;
  /** A folder beside both. */
  readonly outside: string;
  readonly checkpoints: WorkspaceCheckpoints;
}

/** A workspace in a temporary folder, gone after the test. */
export function testWorkspace(
  files: Readonly<Record<string, string>> = {},
  options: Partial<WorkspaceCheckpointsOptions> = {},
): TestWorkspace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-workspace-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [folder, storageFolder, outside] = [join(top, "files"), join(top, "storage"), join(top, "outside")];
  mkdirSync(folder);
  mkdirSync(outside);
  writeFiles(folder, files);
  return {
    folder,
    storageFolder,
    outside,
    checkpoints: workspaceCheckpoints({ workspace: folder, storageFolder, ...options }),
  };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Each file below a folder with its kind, permissions and a hash of its content: equal means byte for byte the same. */
export function fingerprints(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const permissions = (lstatSync(path).mode & 0o777).toString(8);
    if (entry.isSymbolicLink()) return [relative(folder, path), `link to ${readlinkSync(path)}`];
    if (!entry.isFile()) return [relative(folder, path), entry.isDirectory() ? "folder" : "special"];
    return [relative(folder, path), `${permissions} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`];
  });
  return Object.fromEntries(entries.sort());
}

/** Runs git as a person would in their own repository. */
export function personsGit(folder: string, ...args: readonly string[]): string {
  const identity = [
    "-c",
    "user.name=Person",
    "-c",
    "user.email=person@example.invalid",
    "-c",
    "protocol.file.allow=always",
  ];
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: Object.fromEntries(environment),
    stdio: ["ignore", "pipe", "ignore"],
  });
}
