import { assert, assertArray, assertObject } from "../assert.ts";
import type {
  AppendOptions,
  LockName,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  StoredBlob,
  StoredCheckpoint,
  StoredState,
} from "../ports/store.ts";

/** The longest name or term, in UTF-16 units: every database can index texts of this length. */
export const MAX_NAME_LENGTH = 512;

/** Some thirty thousand years: added to any date, the sum is still an exact number. */
const MAX_DURATION_MS = 1e15;

// A database keeps text as UTF-8, which has no halves of surrogate pairs, and PostgreSQL no NUL. JSON escapes both.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Ids of sessions and checkpoints, names and holders of locks. */
export function assertName(name: string, value: unknown): void {
  const isName = typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
  const allowed = `a text of 1 to ${MAX_NAME_LENGTH} characters, without NUL and halves of surrogate pairs`;
  assert(isName && !UNSTORABLE.test(value), name, value, allowed);
}

export function assertSessionKey(value: unknown): void {
  assertWhole("sessionKey", value, { least: 1 });
}

export function assertLimit(options: { readonly limit?: number } | undefined): void {
  if (options === undefined) return;
  assertObject("options", options);
  if (options.limit !== undefined) assertWhole("limit", options.limit);
}

export function assertAppend(sessionKey: number, records: readonly NewRecord[], options?: AppendOptions): void {
  assertSessionKey(sessionKey);
  assertArray("records", records);
  records.forEach(assertRecord);
  if (options === undefined) return;
  assertObject("options", options);
  const { expectedVersion, expectedRewriteVersion, acknowledge = "durable" } = options;
  if (expectedVersion !== undefined) assertWhole("expectedVersion", expectedVersion);
  if (expectedRewriteVersion !== undefined) assertWhole("expectedRewriteVersion", expectedRewriteVersion);
  assertAcknowledge("acknowledge", acknowledge);
}

export function assertAcknowledge(name: string, value: unknown): void {
  assert(value === "durable" || value === "visible", name, value, '"durable" or "visible"');
}

export function assertRead(sessionKey: number, options?: ReadOptions): void {
  assertSessionKey(sessionKey);
  assertLimit(options);
  if (options?.afterVersion !== undefined) assertWhole("afterVersion", options.afterVersion);
}

export function assertReadBlobs(sessionKey: number, names: readonly string[]): void {
  assertSessionKey(sessionKey);
  assertArray("names", names);
  for (const [index, name] of names.entries()) assertName(`names[${index}]`, name);
}

export function assertSearch(terms: readonly string[], options?: SearchOptions): void {
  assertTerms("terms", terms);
  assertLimit(options);
  if (options?.sessionKey !== undefined) assertSessionKey(options.sessionKey);
}

export function assertLockRequest(lock: LockRequest): void {
  assertObject("lock", lock);
  assertSessionKey(lock.sessionKey);
  assertName("name", lock.name);
  assertName("holder", lock.holder);
  assertWhole("durationMs", lock.durationMs, { least: 1, most: MAX_DURATION_MS });
}

export function assertLockName(lock: LockName): void {
  assertObject("lock", lock);
  assertSessionKey(lock.sessionKey);
  assertName("name", lock.name);
}

export function assertLockRelease(lock: LockRelease): void {
  assertLockName(lock);
  if (lock.holder !== undefined) assertName("holder", lock.holder);
}

export function assertCheckpoint(sessionKey: number, checkpoint: StoredCheckpoint): void {
  assertSessionKey(sessionKey);
  assertObject("checkpoint", checkpoint);
  assertName("checkpoint.id", checkpoint.id);
  assertWhole("checkpoint.at", checkpoint.at);
  assertBody("checkpoint.body", checkpoint.body);
}

export function assertState(sessionKey: number, state: StoredState): void {
  assertSessionKey(sessionKey);
  assertObject("state", state);
  assertWhole("state.version", state.version);
  assertBody("state.body", state.body);
}

function assertRecord(record: NewRecord, index: number): void {
  const name = `records[${index}]`;
  assertObject(name, record);
  assertBody(`${name}.body`, record.body);
  const { isRewrite, terms, blobs } = record;
  assert(isRewrite === undefined || typeof isRewrite === "boolean", `${name}.isRewrite`, isRewrite, "true or false");
  if (terms !== undefined) assertTerms(`${name}.terms`, terms);
  if (blobs !== undefined) assertBlobs(`${name}.blobs`, blobs);
}

function assertBlobs(name: string, blobs: readonly StoredBlob[]): void {
  assertArray(name, blobs);
  for (const [index, blob] of blobs.entries()) {
    assertObject(`${name}[${index}]`, blob);
    assertName(`${name}[${index}].name`, blob.name);
    assert(blob.bytes instanceof Uint8Array, `${name}[${index}].bytes`, blob.bytes, "a Uint8Array");
  }
}

function assertBody(name: string, value: unknown): void {
  assert(typeof value === "string", name, value, "a text");
  assert(
    !UNSTORABLE.test(value),
    name,
    value,
    "JSON, which has no NUL and no halves of surrogate pairs: it escapes them",
  );
}

// Other oddities of a term are accepted: terms are only hints for the search, and no reason to refuse a record.
function assertTerms(name: string, terms: unknown): void {
  assertArray(name, terms);
  const index = terms.findIndex((term) => !isTerm(term));
  assert(index === -1, `${name}[${index}]`, terms[index], `a text of 1 to ${MAX_NAME_LENGTH} characters`);
}

function isTerm(term: unknown): boolean {
  return typeof term === "string" && term.length > 0 && term.length <= MAX_NAME_LENGTH;
}

function assertWhole(name: string, value: unknown, limits: { least?: number; most?: number } = {}): void {
  const { least = 0, most = Number.MAX_SAFE_INTEGER } = limits;
  const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
  assert(isWhole, name, value, `a whole number from ${least} to ${most}`);
}
