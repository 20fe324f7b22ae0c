import { restoreAllMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import { TARGET_FORMATS, type TargetFormat, writeView } from "../compact/write-view.ts";

/** What a session can be written as; `palimpsest` alone holds all of it. */
export const EXPORT_FORMATS = ["palimpsest", ...TARGET_FORMATS] as const;

export interface ExportOptions {
  readonly format: "palimpsest" | TargetFormat;
  /** Writes only what is sent now, with its summaries and markers. */
  readonly isViewOnly: boolean;
}

/** The content of a file. */
export async function writeSession(session: Session, { format, isViewOnly }: ExportOptions): Promise<string> {
  if (format === "palimpsest") return `${JSON.stringify(await session.export())}\n`;
  const messages = isViewOnly ? await session.view() : await wholeLog(session, format);
  const transcript = { format, sessionId: session.id, messages: [], compactions: [], usages: [], problems: [] };
  return writeView(transcript, messages, format).file;
}

/** Roo knows summaries and markers, and the tags of what they hide; for the others, all is as it was said. */
async function wholeLog(session: Session, format: TargetFormat): Promise<readonly Message[]> {
  const log = await session.log();
  return format === "roo" ? log : restoreAllMessages(log);
}
