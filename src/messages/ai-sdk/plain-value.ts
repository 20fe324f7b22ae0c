import { isRecord } from "../../core/json/read-json.ts";

/** A copy that JSON can hold: bytes as base64, addresses as text, and without fields that are undefined. */
export function plainValue(value: unknown): unknown {
  if (value instanceof URL) return value.href;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return toBase64(bytes);
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plainValue(field)]));
}

export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** As many arguments as every engine takes in one call. */
const CHUNK_BYTES = 8_192;

/** Without Buffer: the AI SDK also runs where there is none. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}
