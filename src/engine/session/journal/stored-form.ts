import { messageKeys } from "../../../core/message/message-keys.ts";
import type { NewRecord } from "../../../core/ports/store.ts";
import { messageTerms } from "../../../core/recall/message-terms.ts";
import { isRewrite, type LogRecord, type WrittenRecord } from "./log-record.ts";

/** A record as a store takes it. */
export function storedForm({ body, record, blobs }: WrittenRecord): NewRecord {
  return { body, terms: termsOf(record), isRewrite: isRewrite(record), ...(blobs !== undefined && { blobs }) };
}

/** The search term of rewinds. No word of a message equals it: words have no colon. */
export const REWIND_TERM = "palimpsest:rewind";

/** The search terms of a record. An edited message is found by its new keys, too. */
function termsOf(record: LogRecord): readonly string[] {
  switch (record.type) {
    case "message":
      return [...messageTerms(record.message), ...messageKeys(record.message)];
    case "patch":
      return record.patch.changed.flatMap(({ set }) => messageKeys({ role: "user", content: "", ...set }));
    case "event":
      if (record.event.type === "compacted" || record.event.type === "lineage") return record.event.keys;
      return record.event.type === "recalled" ? [record.event.key] : [];
    case "rewind":
      return [REWIND_TERM];
  }
}
