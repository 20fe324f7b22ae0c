import { hash } from "node:crypto";
import { PalimpsestError } from "../../../core/errors.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asName, asNumber, asRecord, asText, isRecord } from "../../../core/json/read-json.ts";
import type { IntegrationPrefix } from "../../../core/ports/integration-ids.ts";
import type { FoundRecord, NewRecord, Store } from "../../../core/ports/store.ts";

/** A value as LangGraph's serializer wrote it. */
export interface SerializedValue {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The key of a checkpoint: its thread, the graph in that thread (`namespace` is empty for the outermost), and its id. */
export interface CheckpointPlace {
  readonly threadId: string;
  readonly namespace: string;
  readonly id: string;
}

export interface CheckpointRecord extends CheckpointPlace {
  readonly parentId: string | undefined;
  readonly checkpoint: SerializedValue;
  readonly metadata: SerializedValue;
}

/** The writes of one task after a checkpoint. */
export interface WritesRecord extends CheckpointPlace {
  readonly taskId: string;
  readonly writes: readonly ChannelWrite[];
}

export interface ChannelWrite {
  readonly channel: string;
  /** Its number among the task's writes; negative for entries of LangGraph itself, such as an error. */
  readonly index: number;
  readonly value: SerializedValue;
}

/** Engines neither open nor list sessions with this prefix. */
const SESSION_PREFIX: IntegrationPrefix = "langgraph:";

export const sessionIdOf = (threadId: string): string => `${SESSION_PREFIX}${threadId}`;

// No word of a message begins with "§", so that a search of messages never finds a checkpoint.
const term = (kind: string, ...parts: readonly string[]) =>
  `§langgraph-${kind}:${hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)}`;

export const ALL_CHECKPOINTS = term("checkpoint");
export const checkpointsOf = (namespace: string): string => term("namespace", namespace);
export const checkpointAt = ({ namespace, id }: CheckpointPlace): string => term("checkpoint", namespace, id);
export const writesAt = ({ namespace, id }: CheckpointPlace): string => term("writes", namespace, id);

export function writeCheckpoint(record: CheckpointRecord): NewRecord {
  const { namespace, id, parentId, checkpoint, metadata } = record;
  const body = {
    ...{ type: "langgraph-checkpoint", namespace, id, parentId },
    ...{ checkpoint: encode(checkpoint), metadata: encode(metadata) },
  };
  const terms = [ALL_CHECKPOINTS, checkpointsOf(namespace), checkpointAt(record)];
  return { body: JSON.stringify(body), terms };
}

export function writeWrites(record: WritesRecord): NewRecord {
  const { namespace, id, taskId } = record;
  const writes = record.writes.map(({ value, ...write }) => ({ ...write, value: encode(value) }));
  return {
    body: JSON.stringify({ type: "langgraph-writes", namespace, id, taskId, writes }),
    terms: [writesAt(record)],
  };
}

/** Reads a checkpoint that a search has found; undefined if its thread was deleted since. Throws if the record is damaged. */
export async function readCheckpoint(store: Store, found: FoundRecord): Promise<CheckpointRecord | undefined> {
  const place = await readPlace(store, found);
  if (place === undefined) return undefined;
  const [checkpoint, metadata] = [decode(place.body.checkpoint), decode(place.body.metadata)];
  if (checkpoint === undefined || metadata === undefined) throw damaged(found);
  return { ...place.at, parentId: asText(place.body.parentId), checkpoint, metadata };
}

/** Reads the writes of a task that a search has found; undefined if their thread was deleted since. Throws if the record is damaged. */
export async function readWrites(store: Store, found: FoundRecord): Promise<WritesRecord | undefined> {
  const place = await readPlace(store, found);
  if (place === undefined) return undefined;
  const writes = asArray(place.body.writes).map((write): ChannelWrite => {
    const { channel, index, value } = asRecord(write) ?? {};
    const [name, number, bytes] = [asText(channel), asNumber(index), decode(value)];
    if (name === undefined || number === undefined || bytes === undefined) throw damaged(found);
    return { channel: name, index: number, value: bytes };
  });
  return { ...place.at, taskId: asText(place.body.taskId) ?? "", writes };
}

async function readPlace(store: Store, found: FoundRecord) {
  const [row] = await store.read(found.sessionKey, { afterVersion: found.version - 1, limit: 1 });
  if (row === undefined) return undefined;
  const body = tryParseJson(row.body);
  const id = isRecord(body) ? asName(body.id) : undefined;
  if (!isRecord(body) || id === undefined || !found.sessionId.startsWith(SESSION_PREFIX)) throw damaged(found);
  const threadId = found.sessionId.slice(SESSION_PREFIX.length);
  return { body, at: { threadId, namespace: asText(body.namespace) ?? "", id } };
}

/** JSON stays readable; anything else is kept as base64. */
function encode({ type, bytes }: SerializedValue): object {
  if (type === "json") return { type, text: Buffer.from(bytes).toString("utf8") };
  return { type, base64: Buffer.from(bytes).toString("base64") };
}

function decode(value: unknown): SerializedValue | undefined {
  const { type, text, base64 } = asRecord(value) ?? {};
  if (typeof type !== "string") return undefined;
  if (typeof text === "string") return { type, bytes: Buffer.from(text, "utf8") };
  return typeof base64 === "string" ? { type, bytes: Buffer.from(base64, "base64") } : undefined;
}

function damaged({ sessionId, version }: FoundRecord): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `Record ${version} of ${JSON.stringify(sessionId)} is no checkpoint that this version writes. Restore the database from a backup, or update the package.`,
  );
}
