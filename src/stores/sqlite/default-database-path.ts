import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export interface UserPlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const FILE_NAME = "palimpsest.db";

/**
 * The default path of the database: in `PALIMPSEST_HOME` if set, else in the user's data folder.
 * @example
 * ```ts
 * import { defaultDatabasePath } from "palimpsest/stores/sqlite";
 * console.log(defaultDatabasePath().endsWith("palimpsest.db")); // true
 * ```
 */
export function defaultDatabasePath(): string {
  return databasePathOf({ platform: process.platform, home: homeFolder(), environment: process.env });
}

/** The user's home folder; the root for users without a name, as containers often have. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}

export function databasePathOf({ platform, home, environment }: UserPlace): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  const { PALIMPSEST_HOME, XDG_DATA_HOME, LOCALAPPDATA } = environment;
  if (PALIMPSEST_HOME) return join(PALIMPSEST_HOME, FILE_NAME);
  switch (platform) {
    case "win32":
      return join(LOCALAPPDATA || join(home, "AppData", "Local"), "palimpsest", FILE_NAME);
    case "darwin":
      return join(home, "Library", "Application Support", "palimpsest", FILE_NAME);
    default: {
      // The XDG specification says that relative paths are ignored.
      const isUsable = XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME);
      return join(isUsable ? XDG_DATA_HOME : join(home, ".local", "share"), "palimpsest", FILE_NAME);
    }
  }
}
