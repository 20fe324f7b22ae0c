import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store, StoredRecord, StoredSession } from "../../core/ports/store.ts";
import { type LogRecord, readRecord } from "./journal/log-record.ts";
import { type ChainLink, EMPTY_CHAIN, extendChain, linkIn } from "./journal/record-chain.ts";
import { assertOnlyHidden, notAsWritten } from "./only-hidden.ts";

/** The outcome of checking a stored session. */
export type SessionVerification = IntactSession | DamagedSession;

/** Every record is what was written, and the log without its folds is what was appended. */
export interface IntactSession {
  readonly type: "intact";
  /** The number of messages in the log without folds. */
  readonly messages: number;
  /** The number of records, all of which were checked. */
  readonly records: number;
  /** How many records name the head of the chain before them. Those of earlier versions of the package name none. */
  readonly links: number;
  /** The head of the hash chain over all records. Keep it elsewhere: `verify({ head })` proves that the session still begins with these records. */
  readonly head: string;
}

export interface DamagedSession {
  readonly type: "damaged";
  /** How many records were checked before the damaged one. */
  readonly records: number;
  /** What is wrong, and where. */
  readonly problem: string;
}

export interface VerifyOptions {
  /** A head from an earlier `verify`: the session must still begin with the records that it covers. @default none */
  readonly head?: string | undefined;
}

const PAGE = 2_000;

export interface VerifiedSession {
  readonly store: Store;
  readonly session: StoredSession;
  /** Called with the number of records that were read so far. @default nothing is called */
  readonly read?: ((records: number) => void) | undefined;
}

/** Reads a session from its store again and checks it. Damage is an outcome; a store that fails makes it reject. */
export async function verifySession(
  { store, session, read }: VerifiedSession,
  { head }: VerifyOptions = {},
): Promise<SessionVerification> {
  const chain = createChainCheck(session.id);
  const records: LogRecord[] = [];
  try {
    for (;;) {
      const page = await store.read(session.key, { afterVersion: records.length, limit: PAGE });
      for (const stored of page) {
        chain.add(stored);
        records.push(readRecord(stored.body, { sessionId: session.id, version: stored.version }));
      }
      read?.(records.length);
      if (page.length < PAGE) break;
    }
    chain.assertCovers(head);
    const messages = assertOnlyHidden(session.id, records);
    return { type: "intact", messages, records: records.length, links: chain.links(), head: chain.head() };
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "store-damaged") throw error;
    return { type: "damaged", records: records.length, problem: error.message };
  }
}

export function assertVerifyOptions(options: VerifyOptions): void {
  assertObject("options", options);
  const { head } = options;
  assert(
    head === undefined || (typeof head === "string" && head !== ""),
    "options.head",
    head,
    "a head that verify() gave",
  );
}

function createChainCheck(sessionId: string) {
  let chain = EMPTY_CHAIN;
  let links = 0;
  /** By version. */
  const heads = [EMPTY_CHAIN.head];

  function assertLink(link: ChainLink | undefined, version: number): void {
    if (link === undefined) return;
    links += 1;
    if (link.version < version && heads[link.version] === link.head) return;
    throw notAsWritten(
      sessionId,
      `record ${version} names another hash of the ${link.version} records that it was written after: one of them was changed`,
    );
  }

  return {
    add({ version, body }: StoredRecord): void {
      assertLink(linkIn(body), version);
      const extended = extendChain(chain, body);
      if (extended === undefined) throw withoutSha256();
      chain = extended;
      heads.push(chain.head);
    },
    assertCovers(head: string | undefined): void {
      if (head === undefined || heads.includes(head)) return;
      throw notAsWritten(sessionId, `it does not begin with the records that ${JSON.stringify(head)} is the head of`);
    },
    links: () => links,
    head: () => chain.head,
  };
}

function withoutSha256(): PalimpsestError {
  return new PalimpsestError(
    "invalid-configuration",
    "verify() needs the SHA-256 of node:crypto. Run it on Node, Bun or Deno.",
  );
}
