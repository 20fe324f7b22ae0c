import { resolve } from "node:path";
import { defaultDatabasePath } from "../../stores/sqlite/default-database-path.ts";
import { type Arguments, type Command, type CommandOption, wrongUsage } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";

/** The location of a store. */
export type StoreLocation =
  | {
      readonly type: "sqlite";
      readonly path: string;
      /** Whether it is the default location. */
      readonly isDefault: boolean;
    }
  | { readonly type: "postgres"; readonly connectionString: string };

const STORE_VARIABLE = "PALIMPSEST_STORE";

/** The option of every command that works on stored sessions. */
export const STORE_OPTION: CommandOption = {
  value: "STORE",
  about: `the store of the sessions: a database file, or postgres://…\n(default: $${STORE_VARIABLE}, else a file in your data folder)`,
};

/** The location that `--store` names, or else `PALIMPSEST_STORE`, or else the default one. */
export function storeLocation(command: Command, { values }: Arguments, environment: Environment): StoreLocation {
  const named = values.store ?? (environment[STORE_VARIABLE] || undefined);
  const defaultPath = resolve(defaultDatabasePath());
  if (named === undefined) return { type: "sqlite", path: defaultPath, isDefault: true };
  const what = values.store === undefined ? `$${STORE_VARIABLE}` : "--store";
  if (named === "memory") {
    const fix = "Name a database file, or postgres://….";
    throw wrongUsage(command, `${what} is memory: such sessions are gone when their gateway ends. ${fix}`);
  }
  if (/^postgres(ql)?:\/\//i.test(named)) return { type: "postgres", connectionString: named };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(named)?.[1];
  if (scheme !== undefined) {
    throw wrongUsage(command, `${what} begins with ${scheme}://; it must be a file, or begin with postgres://.`);
  }
  const path = resolve(named);
  return { type: "sqlite", path, isDefault: path === defaultPath };
}

/** The name of a store for a person, without passwords. */
export function nameOfStore(location: StoreLocation): string {
  if (location.type === "sqlite") return location.path;
  try {
    const { host, pathname } = new URL(location.connectionString);
    return `PostgreSQL at ${host}${pathname}`;
  } catch {
    return "PostgreSQL";
  }
}
