import { demand, demandArray, demandObject } from "../../core/demand.ts";
import type { LogHistory } from "./journal/log-history.ts";
import { type LogRecord, readRecord } from "./journal/log-record.ts";

/** A whole session as plain data: its messages, folds, events, and what was rewound. */
export interface SessionExport {
  readonly format: "palimpsest-session";
  readonly formatVersion: 1;
  readonly id: string;
  /** What was done to it, in order; JSON holds all of it. */
  readonly records: readonly unknown[];
}

export function exportSession(id: string, history: LogHistory): SessionExport {
  const records = Array.from({ length: history.version() }, (_, index) => history.record(index + 1));
  return { format: "palimpsest-session", formatVersion: 1, id, records };
}

/** The records of an export; throws where it is none. */
export function readExport(exported: SessionExport): readonly LogRecord[] {
  demandObject("exported", exported);
  const { format, formatVersion, id, records } = exported;
  demand(format === "palimpsest-session", "exported.format", format, '"palimpsest-session"');
  demand(formatVersion === 1, "exported.formatVersion", formatVersion, "1: a newer version of the package wrote it");
  demand(typeof id === "string" && id !== "", "exported.id", id, "a string that is not empty");
  demandArray("exported.records", records);
  return records.map((record, index) => readRecord(writeAny(record), { sessionId: id, version: index + 1 }));
}

function writeAny(record: unknown): string {
  demandObject("exported.records[…]", record);
  return JSON.stringify(record);
}
