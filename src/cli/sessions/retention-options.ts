import { type Retention, SETTLED_MS } from "../../core/store/plan-retention.ts";
import type { CommandOption } from "../terminal/command-line.ts";
import { parseBytes, parseDuration } from "../terminal/numbers.ts";

/** The options of every command that removes old sessions. */
export const RETENTION_OPTIONS = {
  keep: { value: "TIME", about: "remove sessions that nobody has written to for longer: 12h, 90d, 8w" },
  "keep-size": {
    value: "SIZE",
    about: "beyond this size of messages and request bodies, remove the sessions\nwritten to longest ago: 500MB, 20GB",
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** A retention as people write it, on a command line or in a file. */
export interface RetentionTexts {
  readonly keep?: string | undefined;
  readonly keepSize?: string | undefined;
}

/** Reads a retention; undefined if neither text is given. Throws the error that `refuse` makes if a text is no time or no size. */
export function readRetention(
  { keep, keepSize }: RetentionTexts,
  refuse: (field: keyof RetentionTexts, what: string) => Error,
): Retention | undefined {
  const keepMs = keep === undefined ? undefined : parseDuration(keep);
  const keepBytes = keepSize === undefined ? undefined : parseBytes(keepSize);
  if (keep !== undefined && (keepMs === undefined || keepMs < SETTLED_MS)) {
    throw refuse("keep", `is ${JSON.stringify(keep)}; it must be a time of at least an hour, such as 12h, 90d or 8w.`);
  }
  if (keepSize !== undefined && (keepBytes === undefined || keepBytes < 1)) {
    throw refuse("keepSize", `is ${JSON.stringify(keepSize)}; it must be a size such as 500MB or 20GB.`);
  }
  return keepMs === undefined && keepBytes === undefined ? undefined : { keepMs, keepBytes };
}
