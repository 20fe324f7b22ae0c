import { PalimpsestError } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import type { CheckpointDetails, SkippedFile, SkipReason } from "./checkpoint.ts";
import { fieldOf } from "./file-system.ts";

interface CheckpointRecord {
  readonly at: number;
  readonly message: string;
  readonly filesChanged: number;
}

const SKIP_REASONS = {
  "too-large": true,
  unreadable: true,
  special: true,
  "undecodable-name": true,
} as const satisfies Record<SkipReason, true>;

/** Reads the record in a commit's message. Throws where it is damaged. */
export function readRecord(json: string): CheckpointRecord {
  const record = parse(json);
  const [at, message, filesChanged] = [
    fieldOf(record, "at"),
    fieldOf(record, "message"),
    fieldOf(record, "filesChanged"),
  ];
  if (typeof at !== "number" || typeof message !== "string" || typeof filesChanged !== "number") throw damaged();
  return { at, message, filesChanged };
}

export function readDetails(json: string): CheckpointDetails {
  const details = parse(json);
  const [skipped, permissions] = [fieldOf(details, "skipped"), fieldOf(details, "private")];
  if (!Array.isArray(skipped) || typeof permissions !== "object" || permissions === null) throw damaged();
  return {
    skipped: skipped.map(readSkipped),
    private: Object.fromEntries(Object.entries(permissions).map(([mode, paths]) => [mode, readPaths(paths)])),
  };
}

function readSkipped(value: unknown): SkippedFile {
  const [path, reason] = [fieldOf(value, "path"), fieldOf(value, "reason")];
  if (typeof path !== "string" || !isSkipReason(reason)) throw damaged();
  return { path, reason };
}

function readPaths(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw damaged();
  return value.map(String);
}

function isSkipReason(value: unknown): value is SkipReason {
  return typeof value === "string" && Object.hasOwn(SKIP_REASONS, value);
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    throw damaged();
  }
}

/** The error for a shadow repository that another program changed, or of which the disk lost a part. */
export function damaged(): PalimpsestError {
  return new PalimpsestError(
    "checkpoint-failed",
    "The shadow repository holds what we did not write: it is damaged. Nothing was changed. Start a new storage folder.",
  );
}
