import { tryParseJson } from "../../../core/json/parse-json.ts";

/**
 * The hash chain of a session: the head after a record covers its bytes and the head before it, so it covers every record up to there.
 * A record names a head that its writer knew. That is not always the one right before it: others may write at the same time.
 */
export interface ChainLink {
  /** How many records the head covers. */
  readonly version: number;
  readonly head: string;
}

/** Before the first record. */
export const EMPTY_CHAIN: ChainLink = { version: 0, head: "" };

// Not an import: the engine also runs where there is no node:crypto. Looking for it takes longer than a hash.
let crypto: { readonly loaded: typeof import("node:crypto") | undefined } | undefined;

/** The chain with one more record; undefined on a platform without SHA-256 that answers at once: its records name no head. */
export function extendChain({ version, head }: ChainLink, body: string): ChainLink | undefined {
  const next = sha256Of(`${head}\n${body}`);
  return next === undefined ? undefined : { version: version + 1, head: next };
}

/** The link in a record's body; undefined where there is none: an earlier version of the package wrote it, or it came with the record before it. */
export function linkIn(body: string): ChainLink | undefined {
  const record = tryParseJson(body);
  return hasChain(record) && isLink(record.chain) ? record.chain : undefined;
}

/** The body of a record that is to stand at another place, where what it names would not be what is there. */
export function withoutLink(body: string): string {
  const record = tryParseJson(body);
  if (!hasChain(record)) return body;
  const { chain: _, ...rest } = record;
  return JSON.stringify(rest);
}

/** Undefined on a platform that does not answer at once. */
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
