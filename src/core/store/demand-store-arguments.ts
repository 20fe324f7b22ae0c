import { demand, demandArray, demandObject } from "../demand.ts";
import type {
  AppendOptions,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  StoredCheckpoint,
} from "../ports/store.ts";

/** The longest name or term, in UTF-16 units: what every database can keep in an index. */
export const MAX_NAME_LENGTH = 512;

/** Some thirty thousand years: the sum with any date is still exact. */
const MAX_DURATION_MS = 1e15;

// A database keeps text as UTF-8, which has no halves of surrogate pairs, and PostgreSQL no NUL. JSON escapes both.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Ids of sessions and checkpoints, names and holders of locks. */
export function demandName(name: string, value: unknown): void {
  const isName = typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
  const allowed = `a text of 1 to ${MAX_NAME_LENGTH} characters, without NUL and halves of surrogate pairs`;
  demand(isName && !UNSTORABLE.test(value), name, value, allowed);
}

export function demandSessionKey(value: unknown): void {
  demandWhole("sessionKey", value, { least: 1 });
}

export function demandLimit(options: { readonly limit?: number } | undefined): void {
  if (options === undefined) return;
  demandObject("options", options);
  if (options.limit !== undefined) demandWhole("limit", options.limit);
}

export function demandAppend(sessionKey: number, records: readonly NewRecord[], options?: AppendOptions): void {
  demandSessionKey(sessionKey);
  demandArray("records", records);
  records.forEach(demandRecord);
  if (options === undefined) return;
  demandObject("options", options);
  const { expectedVersion, expectedRewriteVersion } = options;
  if (expectedVersion !== undefined) demandWhole("expectedVersion", expectedVersion);
  if (expectedRewriteVersion !== undefined) demandWhole("expectedRewriteVersion", expectedRewriteVersion);
}

export function demandRead(sessionKey: number, options?: ReadOptions): void {
  demandSessionKey(sessionKey);
  demandLimit(options);
  if (options?.afterVersion !== undefined) demandWhole("afterVersion", options.afterVersion);
}

export function demandSearch(terms: readonly string[], options?: SearchOptions): void {
  demandTerms("terms", terms);
  demandLimit(options);
  if (options?.sessionKey !== undefined) demandSessionKey(options.sessionKey);
}

export function demandLockRequest(lock: LockRequest): void {
  demandObject("lock", lock);
  demandSessionKey(lock.sessionKey);
  demandName("name", lock.name);
  demandName("holder", lock.holder);
  demandWhole("durationMs", lock.durationMs, { least: 1, most: MAX_DURATION_MS });
}

export function demandLockRelease(lock: LockRelease): void {
  demandObject("lock", lock);
  demandSessionKey(lock.sessionKey);
  demandName("name", lock.name);
  if (lock.holder !== undefined) demandName("holder", lock.holder);
}

export function demandCheckpoint(sessionKey: number, checkpoint: StoredCheckpoint): void {
  demandSessionKey(sessionKey);
  demandObject("checkpoint", checkpoint);
  demandName("checkpoint.id", checkpoint.id);
  demandWhole("checkpoint.at", checkpoint.at);
  demandBody("checkpoint.body", checkpoint.body);
}

function demandRecord(record: NewRecord, index: number): void {
  const name = `records[${index}]`;
  demandObject(name, record);
  demandBody(`${name}.body`, record.body);
  const { isRewrite, terms } = record;
  demand(isRewrite === undefined || typeof isRewrite === "boolean", `${name}.isRewrite`, isRewrite, "true or false");
  if (terms !== undefined) demandTerms(`${name}.terms`, terms);
}

function demandBody(name: string, value: unknown): void {
  demand(typeof value === "string", name, value, "a text");
  demand(
    !UNSTORABLE.test(value),
    name,
    value,
    "JSON, which has no NUL and no halves of surrogate pairs: it escapes them",
  );
}

// What else is odd about a term is let pass: a hint that finds nothing is no reason to refuse what was said.
function demandTerms(name: string, terms: unknown): void {
  demandArray(name, terms);
  const index = terms.findIndex((term) => !isTerm(term));
  demand(index === -1, `${name}[${index}]`, terms[index], `a text of 1 to ${MAX_NAME_LENGTH} characters`);
}

function isTerm(term: unknown): boolean {
  return typeof term === "string" && term.length > 0 && term.length <= MAX_NAME_LENGTH;
}

function demandWhole(name: string, value: unknown, limits: { least?: number; most?: number } = {}): void {
  const { least = 0, most = Number.MAX_SAFE_INTEGER } = limits;
  const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
  demand(isWhole, name, value, `a whole number from ${least} to ${most}`);
}
