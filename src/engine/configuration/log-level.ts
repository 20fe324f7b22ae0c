import type { LineLevel, LogLevel } from "./configuration.ts";

/** Each with all that are more important before it. */
export const LOG_LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug"];

/** Whether a line of this level is written where `setting` is what `monitoring.logging` says; true is "info", false is "silent". */
export function isLogged(setting: boolean | LogLevel, level: LineLevel): boolean {
  const named = typeof setting === "string" ? setting : setting ? "info" : "silent";
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(named);
}
