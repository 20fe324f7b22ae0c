import type { Pacer } from "../../core/ports/pacer.ts";
import type { RawRequest, WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import { type JsonBody, type ListPaths, readJsonBody, readWithShared } from "./json-body.ts";
import { readJsonBodyPaced } from "./paced-body.ts";

/** A cache of recent bodies. The next body of a conversation begins with the items of the last one, which need not be parsed again. */
export interface RecentBodies {
  /** Reads a body, and takes the items that it shares with a cached body of the same `kind` from that. */
  read(bytes: Buffer, options: ReadBodyOptions): JsonBody;
  /** Like `read`, but pauses while it parses, so that a large body does not hold up other requests. */
  readPaced(bytes: Buffer, options: ReadBodyOptions & { readonly pacer: Pacer }): Promise<JsonBody>;
  /** Empties the cache, for instance because a session was deleted whose messages it may hold. */
  forgetAll(): void;
}

export interface ReadBodyOptions {
  /** The API, and whatever else distinguishes conversations: bodies of different kinds are not compared. */
  readonly kind: string;
  readonly listPaths: ListPaths;
}

export interface RecentBodiesOptions {
  /** The most bytes of all cached bodies together. Their parsed values take about twice as much in addition. @default 192 MB */
  readonly maxBytes?: number;
  /** The most cached bodies. @default 64 */
  readonly maxCount?: number;
}

/** Smaller bodies are not cached: parsing them takes less time than finding an earlier body. */
const SMALLEST_BYTES = 16_384;
/** A body that begins with this share of an earlier one is taken for the next of the same conversation, and replaces it in the cache. */
const CONTINUED_SHARE = 0.75;

interface Remembered {
  readonly kind: string;
  readonly body: JsonBody;
}

interface Found {
  readonly earlier: Remembered;
  readonly common: number;
}

/**
 * Whether a body that shares its first `common` bytes with a cached one continues the same conversation. Only bytes of the list count: what
 * precedes the list, such as tools, is the same in all conversations of an agent.
 */
function continues({ body: { bytes, places } }: Remembered, common: number): boolean {
  const { start = bytes.length } = places() ?? {};
  return common - start >= CONTINUED_SHARE * (bytes.length - start);
}

export function createRecentBodies({
  maxBytes = 192 * 1024 ** 2,
  maxCount = 64,
}: RecentBodiesOptions = {}): RecentBodies {
  /** The cached bodies, the newest last. */
  let remembered: Remembered[] = [];

  /** Finds the cached body that shares the most bytes. Stops early at the newest one that this body clearly continues. */
  function find(bytes: Buffer, kind: string): Found | undefined {
    let found: Found | undefined;
    for (const earlier of remembered.toReversed()) {
      if (earlier.kind !== kind) continue;
      const common = commonLength(earlier.body.bytes, bytes);
      if (common > (found?.common ?? 0)) found = { earlier, common };
      if (common >= CONTINUED_SHARE * bytes.length && continues(earlier, common)) break;
    }
    return found;
  }

  function remember(body: JsonBody, kind: string, replaced: Remembered | undefined): void {
    remembered = [...remembered.filter((entry) => entry !== replaced), { kind, body }];
    let bytes = remembered.reduce((sum, entry) => sum + entry.body.bytes.length, 0);
    while (remembered.length > maxCount || (bytes > maxBytes && remembered.length > 0)) {
      bytes -= remembered.shift()?.body.bytes.length ?? 0;
    }
  }

  function keep(body: JsonBody, kind: string, { earlier, common = 0 }: Partial<Found>): JsonBody {
    const isContinued = earlier !== undefined && continues(earlier, common);
    if (body.value !== undefined) remember(body, kind, isContinued ? earlier : undefined);
    return body;
  }

  return {
    read(bytes, { kind, listPaths }) {
      if (bytes.length < SMALLEST_BYTES) return readJsonBody(bytes, listPaths);
      const found: Partial<Found> = find(bytes, kind) ?? {};
      const shared = found.earlier && readWithShared(bytes, found.earlier.body, found.common);
      return keep(shared ?? readJsonBody(bytes, listPaths), kind, found);
    },
    async readPaced(bytes, { kind, listPaths, pacer }) {
      const found: Partial<Found> = find(bytes, kind) ?? {};
      const shared = found.earlier && readWithShared(bytes, found.earlier.body, found.common);
      return keep(shared ?? (await readJsonBodyPaced(bytes, listPaths, pacer)), kind, found);
    },
    forgetAll: () => {
      remembered = [];
    },
  };
}

/** Smaller bodies have no `sparseBody`: their whole text is made as fast. */
const SMALLEST_SPARSE_BYTES = 32_768;

export interface RawRequestOptions {
  readonly bodies: RecentBodies;
  /** The id of the agent's session, where its headers name one. */
  readonly sessionId: string | undefined;
  readonly listPaths: WireAdapter["listPaths"];
}

/** Reads the body of an agent's request for an adapter. Returns undefined if it is not JSON. The text is made when it is first asked for. */
export function rawRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths }: RawRequestOptions,
): RawRequest | undefined {
  return toRawRequest(path, bodies.read(bytes, { kind: `${api} ${sessionId}`, listPaths }));
}

/** A request whose body was read with pauses, so that the adapter can read it in steps, too. */
export interface PacedRequest {
  readonly raw: RawRequest;
  readonly listPath: readonly string[];
  /** Numbers of items, ascending: the adapter is to read so many items of the list before the whole list. Empty if little of it is new. */
  readonly steps: readonly number[];
}

/** Like `rawRequestOf`, for a large body: pauses while it parses. */
export async function pacedRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths, pacer }: RawRequestOptions & { readonly pacer: Pacer },
): Promise<PacedRequest | undefined> {
  const body = await bodies.readPaced(bytes, { kind: `${api} ${sessionId}`, listPaths, pacer });
  const raw = toRawRequest(path, body);
  return raw && { raw, listPath: body.listPath, steps: stepsOf(body) };
}

/** About how many bytes of new items the adapter reads in one step. */
const STEP_BYTES = 128 * 1024;

function stepsOf({ bytes, sharedItems, places }: JsonBody): readonly number[] {
  if (bytes.length < STEP_BYTES) return [];
  const { ends, start } = places() ?? { ends: [], start: 0 };
  let from = ends[sharedItems - 1] ?? start;
  const steps: number[] = [];
  for (let item = sharedItems; item < ends.length; item++) {
    const end = ends[item] ?? from;
    if (end - from < STEP_BYTES) continue;
    steps.push(item + 1);
    from = end;
  }
  return steps;
}

function toRawRequest(path: string, { bytes, value, sparseText }: JsonBody): RawRequest | undefined {
  if (value === undefined) return undefined;
  let text: string | undefined;
  return {
    path,
    value,
    ...(bytes.length < SMALLEST_SPARSE_BYTES ? {} : { sparseBody: sparseText }),
    get body() {
      text ??= bytes.toString();
      return text;
    },
  };
}

/** Sizes of the blocks that are compared at once. The first block that differs is compared again in smaller blocks. */
const BLOCK_BYTES = [65_536, 4_096, 256, 16, 1];

/** Returns the length of the longest common prefix of two bodies, in bytes. */
export function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  for (const bytes of BLOCK_BYTES) {
    while (at + bytes <= most && one.compare(other, at, at + bytes, at, at + bytes) === 0) at += bytes;
  }
  return at;
}
