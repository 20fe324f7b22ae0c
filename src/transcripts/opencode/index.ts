import { asArray, asName, asRecord, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";
import { type MessageRead, readMessage } from "./read-message.ts";

/**
 * What `opencode export` writes: one document. A tool's call and result lie in one part, and one message can hold several
 * requests; here each request is a message, followed by its results. Not carried: steps, patches, titles, times of parts.
 */
export const opencodeFormat: DocumentFormat = {
  type: "document",
  name: "opencode",
  detect(document) {
    const messages = asRecord(document)?.messages;
    const [first] = asArray(messages);
    if (first !== undefined)
      return isRecord(fieldAt(first, "info")) && asName(fieldAt(first, "info", "role")) !== undefined;
    return Array.isArray(messages) && asName(fieldAt(document, "info", "projectID")) !== undefined;
  },
  needs: (path) => !isUnseen(path),
  read(document) {
    const values = asArray(fieldAt(document, "messages"));
    const messages = values.map((message, index) => readMessage(message, `messages[${index}]`));
    const firstReply = values.find((message) => fieldAt(message, "info", "path", "cwd") !== undefined);
    return assembleTranscript(joinSummaries(messages), {
      format: "opencode",
      problems: messages.flatMap(({ problems }) => problems),
      sessionId: asName(fieldAt(document, "info", "id")),
      modelId: messages.findLast(({ modelId }) => modelId !== undefined)?.modelId,
      workingDirectory:
        asName(fieldAt(document, "info", "directory")) ?? asName(fieldAt(firstReply, "info", "path", "cwd")),
    });
  },
};

/** A compaction is asked for by the user and answered with the summary; older files have the summary only. */
function joinSummaries(messages: readonly MessageRead[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let askedAt: number | undefined;
  for (const message of messages) {
    if (message.summary !== undefined) {
      const compaction = { type: "compaction", summary: message.summary } as const;
      if (askedAt === undefined) entries.push(compaction);
      else entries[askedAt] = compaction;
      askedAt = undefined;
    }
    for (const entry of message.entries) {
      if (entry.type === "compaction") askedAt = entries.length;
      entries.push(entry);
    }
  }
  return entries;
}

/** Diffs and previews for the person; never seen by the model. */
function isUnseen([, , field, partIndex, partField, stateField]: readonly (string | number)[]): boolean {
  if (field === "info") return partIndex === "summary" && partField === "diffs";
  return field === "parts" && partField === "state" && stateField === "metadata";
}
