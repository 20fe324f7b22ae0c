import type { LineLevel, LogLevel } from "./configuration.ts";

/** From the fewest lines to the most. */
export const LOG_LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug"];

/** Whether a line of this level is written, by the setting `monitoring.logging`: true is "info", false is "silent". */
export function isLogged(setting: boolean | LogLevel, level: LineLevel): boolean {
  const named = typeof setting === "string" ? setting : setting ? "info" : "silent";
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(named);
}
