import { createHash } from "node:crypto";
import { itemsOf, type JsonObject, objectsOf, stringOf } from "../json.ts";

/** The type of an item; a message may leave it out. */
export function typeOf(item: JsonObject | undefined): string {
  return stringOf(item?.type) || (item?.role === undefined ? "" : "message");
}

/** The input as items: a string is a message of the user. */
export function inputItems(input: unknown): readonly JsonObject[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
}

/** Whether an item is the model's. */
export function isReply(item: JsonObject | undefined): boolean {
  return isReasoning(item) || item?.role === "assistant" || typeOf(item).endsWith("_call");
}

export function isReasoning(item: JsonObject | undefined): boolean {
  return typeOf(item) === "reasoning";
}

export interface DeclaredTool {
  /** Whether its input is any text, and not JSON. */
  readonly isCustom: boolean;
  /** The group in which it is declared. */
  readonly namespace: string | undefined;
}

/** The tools that a request declares, in its own field or among its items, by name. */
export function declaredTools({ tools, input }: JsonObject): ReadonlyMap<string, DeclaredTool> {
  const added = inputItems(input).flatMap((item) => (typeOf(item) === "additional_tools" ? itemsOf(item.tools) : []));
  return new Map(namedTools([...itemsOf(tools), ...added], undefined));
}

function namedTools(tools: unknown, namespace: string | undefined): readonly (readonly [string, DeclaredTool])[] {
  return objectsOf(tools).flatMap((tool) => {
    const name = stringOf(tool.name);
    if (tool.type === "namespace") return namedTools(tool.tools, name);
    return [[name, { namespace, isCustom: tool.type === "custom" }] as const];
  });
}

/** The provider's compaction of the conversation before it; only its own models can read it. */
export interface CompactionItem {
  readonly type: "compaction";
  readonly id: string;
  readonly encrypted_content: string;
}

export function renderCompaction(serial: number, summary: string): CompactionItem {
  const id = `cmp_${String(serial).padStart(6, "0")}`;
  return { type: "compaction", id, encrypted_content: sealOf(id, summary) };
}

const OWN_SEAL = "palimpsest compaction";

function sealOf(id: string, summary: string): string {
  return Buffer.from([OWN_SEAL, id, digest(id + summary), summary].join("\n")).toString("base64");
}

/** Whether a compaction of this server has another content or id now; those of other servers cannot be checked. */
export function isForgedCompaction({ id, encrypted_content: sealed }: JsonObject): boolean {
  if (typeof sealed !== "string") return false;
  const [seal, ownId = "", hash, ...summary] = Buffer.from(sealed, "base64").toString("utf8").split("\n");
  if (seal !== OWN_SEAL) return false;
  return hash !== digest(ownId + summary.join("\n")) || (id !== undefined && id !== null && id !== ownId);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
