/** A PostgreSQL of the machine's own packages: its pg_dump reads no newer server, and the one of the other tests may be newer. */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";

export interface DebianPostgres {
  /** Of the server, without a database. */
  readonly url: string;
  remove(): void;
}

const isRoot = process.getuid?.() === 0;

/** Where `pg_dump` and the server of the same version are, or undefined. */
export function serverPrograms(): string | undefined {
  const { status, stdout } = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  const named = status === 0 ? [stdout.trim()] : [];
  const listed = spawnSync("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin"], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  return [...listed.toReversed(), ...named].find(
    (folder) =>
      spawnSync(join(folder, "initdb"), ["--version"]).status === 0 &&
      spawnSync(join(folder, "pg_dump"), ["--version"]).status === 0,
  );
}

export async function startDebianPostgres(programs: string): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-backup-"));
  // it refuses to run as root
  const owner = isRoot ? ownerOf("postgres") : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const port = await freePort();
  const run = (program: string, given: readonly string[]) => {
    const command = [join(programs, program), ...given];
    const asOwner =
      owner === undefined ? [] : ["setpriv", "--reuid", `${owner.uid}`, "--regid", `${owner.gid}`, "--clear-groups"];
    const [first = "", ...rest] = [...asOwner, ...command];
    execFileSync(first, rest, { cwd: folder, stdio: "ignore" });
  };
  run("initdb", ["-D", data, "-U", "backup", "--auth=trust", "--encoding=UTF8", "--locale=C"]);
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=''`;
  run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start"]);
  return {
    url: `postgres://backup@127.0.0.1:${port}`,
    remove: () => {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ownerOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (what: string) => Number(execFileSync("id", [what, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
