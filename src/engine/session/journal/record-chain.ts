import { tryParseJson } from "../../../core/json/parse-json.ts";

/**
 * A link of a session's hash chain: the head after a record is the hash of its bytes and of the head before it, so it covers all records up to there.
 * A record names the newest head that its writer knew. Other processes may have written records in between.
 */
export interface ChainLink {
  /** How many records the head covers. */
  readonly version: number;
  readonly head: string;
}

/** The chain before the first record. */
export const EMPTY_CHAIN: ChainLink = { version: 0, head: "" };

// Not an import: the engine also runs where there is no node:crypto. Cached: the lookup takes longer than a hash.
let crypto: { readonly loaded: typeof import("node:crypto") | undefined } | undefined;

/** The chain with one more record; undefined on a platform without synchronous SHA-256, where records name no head. */
export function extendChain({ version, head }: ChainLink, body: string): ChainLink | undefined {
  const next = sha256Of(`${head}\n${body}`);
  return next === undefined ? undefined : { version: version + 1, head: next };
}

/** The link in a record's body; undefined where it has none: an earlier version of the package wrote it, or it was written together with the record before it. */
export function linkIn(body: string): ChainLink | undefined {
  const record = tryParseJson(body);
  return hasChain(record) && isLink(record.chain) ? record.chain : undefined;
}

/** The body without its link, for a record that is moved to another place: the head that it names is not valid there. */
export function withoutLink(body: string): string {
  const record = tryParseJson(body);
  if (!hasChain(record)) return body;
  const { chain: _, ...rest } = record;
  return JSON.stringify(rest);
}

/** The SHA-256 of a text as base64url; undefined on a platform without synchronous hashes. */
export function sha256Of(text: string): string | undefined {
  crypto ??= { loaded: globalThis.process?.getBuiltinModule?.("node:crypto") };
  return crypto.loaded?.hash("sha256", text, "base64url");
}

function hasChain(value: unknown): value is { readonly chain: unknown } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "chain");
}

function isLink(value: unknown): value is ChainLink {
  if (typeof value !== "object" || value === null || !("version" in value) || !("head" in value)) return false;
  return typeof value.version === "number" && typeof value.head === "string";
}
