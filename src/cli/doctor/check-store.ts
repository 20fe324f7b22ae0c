import { accessSync, constants, existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError } from "../../core/describe-error.ts";
import { isLoopback } from "../../gateway/http/loopback.ts";
import { type GatewayStoreLocation, nameOfGatewayStore } from "../gateway/gateway-store.ts";
import { openStore } from "../sessions/open-sessions.ts";
import type { StoreLocation } from "../sessions/store-location.ts";
import { countOf } from "../terminal/numbers.ts";
import { type Finding, failed } from "./finding.ts";

const CHECK = "store";

/** Whether sessions can be kept: a database that exists is opened and checked, else its folder must be writable. No other machine is asked. */
export async function checkStore(location: GatewayStoreLocation): Promise<Finding> {
  const name = nameOfGatewayStore(location);
  switch (location.type) {
    case "memory":
      return { check: CHECK, result: "note", text: "memory: sessions are gone when their gateway ends" };
    case "postgres": {
      if (isOnThisMachine(location.connectionString)) return askStore(location);
      const fix = "palimpsest store check asks it.";
      return { check: CHECK, result: "note", text: `${name} was not asked: it may be another machine. ${fix}` };
    }
    case "sqlite": {
      const refusal = refusalOf(location.path);
      if (refusal !== undefined) {
        const fix = "Make it writable, or name another place: --store FILE, or PALIMPSEST_HOME for the data folder.";
        return { check: CHECK, result: "fault", text: `${name} cannot be written (${refusal}). ${fix}` };
      }
      if (existsSync(location.path)) return askStore(location);
      return { check: CHECK, result: "ok", text: `${name} can be made; there is none yet` };
    }
  }
}

/** Opens a store and checks it as `store check` does. */
async function askStore(location: StoreLocation): Promise<Finding> {
  try {
    const store = await openStore(location);
    try {
      const checked = await store.maintenance?.check();
      const { sessions = 0, pending = [], problems = [] } = checked ?? {};
      const what = `${nameOfGatewayStore(location)}, ${countOf(sessions, "session")}`;
      if (problems.length > 0) {
        const text = `${what}, ${countOf(problems.length, "problem")}. palimpsest store check shows them.`;
        return { check: CHECK, result: "fault", text };
      }
      if (pending.length === 0) return { check: CHECK, result: "ok", text: what };
      return { check: CHECK, result: "note", text: `${what}. palimpsest store migrate has something to do.` };
    } finally {
      await store.close();
    }
  } catch (error) {
    return failed(CHECK, error);
  }
}

/** Whether a connection string names this machine alone: a parameter, or a variable of PostgreSQL's, may name another. */
function isOnThisMachine(connectionString: string): boolean {
  const url = URL.parse(connectionString);
  if (url === null || url.searchParams.has("host") || url.searchParams.has("hostaddr")) return false;
  return isLoopback(url.hostname.replace(/^\[|\]$/g, ""));
}

/** Why neither the file nor the nearest folder above it that exists can be written; undefined if they can. */
function refusalOf(path: string): string | undefined {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    if (existsSync(path)) accessSync(path, constants.W_OK);
    // Tried, not asked: on a disk that is full or read-only, permissions say nothing.
    rmdirSync(mkdtempSync(join(folder, ".palimpsest-doctor-")));
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
