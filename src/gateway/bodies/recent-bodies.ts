import type { Pacer } from "../../core/ports/pacer.ts";
import type { RawRequest, WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import { type JsonBody, type ListPaths, readJsonBody, readWithShared } from "./json-body.ts";
import { readJsonBodyPaced } from "./paced-body.ts";

/** Remembers bodies for a while: the next one of a conversation begins with the last one. */
export interface RecentBodies {
  /** Reads a body with the help of an earlier one of the same `kind`: an API, and whatever else distinguishes conversations. */
  read(bytes: Buffer, options: ReadBodyOptions): JsonBody;
  /** The same in slices, where so much is to be parsed that others would have to wait for it. */
  readPaced(bytes: Buffer, options: ReadBodyOptions & { readonly pacer: Pacer }): Promise<JsonBody>;
  /** What was deleted is not remembered either. */
  forgetAll(): void;
}

export interface ReadBodyOptions {
  readonly kind: string;
  readonly listPaths: ListPaths;
}

export interface RecentBodiesOptions {
  /** The most bytes of all remembered bodies together; what was parsed of them takes about twice as much on top. @default 192 MB */
  readonly maxBytes?: number;
  /** @default 64 */
  readonly maxCount?: number;
}

/** Smaller ones are read faster than they are found. */
const SMALLEST_BYTES = 16_384;
/** A body that begins with so much of an earlier one is the next of its conversation, and takes its place. */
const CONTINUED_SHARE = 0.75;

interface Remembered {
  readonly kind: string;
  readonly body: JsonBody;
}

interface Found {
  readonly earlier: Remembered;
  readonly common: number;
}

/** What stands before the conversation, such as tools, is the same in all conversations of an agent. */
function continues({ body: { bytes, places } }: Remembered, common: number): boolean {
  const { start = bytes.length } = places() ?? {};
  return common - start >= CONTINUED_SHARE * (bytes.length - start);
}

export function createRecentBodies({
  maxBytes = 192 * 1024 ** 2,
  maxCount = 64,
}: RecentBodiesOptions = {}): RecentBodies {
  /** The newest at the end. */
  let remembered: Remembered[] = [];

  /** The earlier body that this one has most in common with; the newest that has enough will do. */
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
    remembered = [...remembered.filter((each) => each !== replaced), { kind, body }];
    let bytes = remembered.reduce((sum, each) => sum + each.body.bytes.length, 0);
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
      return keep(readJsonBody(bytes, listPaths, found.earlier?.body), kind, found);
    },
    async readPaced(bytes, { kind, listPaths, pacer }) {
      const found: Partial<Found> = find(bytes, kind) ?? {};
      const shared = found.earlier && readWithShared(bytes, found.earlier.body);
      return keep(shared ?? (await readJsonBodyPaced(bytes, listPaths, pacer)), kind, found);
    },
    forgetAll: () => {
      remembered = [];
    },
  };
}

/** A sparse text is made of bodies from this size on: the whole text of a smaller one is made as fast. */
const SMALLEST_SPARSE_BYTES = 32_768;

export interface RawRequestOptions {
  readonly bodies: RecentBodies;
  /** The id of the agent's session, where its headers name one. */
  readonly sessionId: string | undefined;
  readonly listPaths: WireAdapter["listPaths"];
}

/** A request for an adapter; undefined where its body is no JSON. Its text is made only where somebody needs it. */
export function rawRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths }: RawRequestOptions,
): RawRequest | undefined {
  return toRawRequest(path, bodies.read(bytes, { kind: `${api} ${sessionId}`, listPaths }));
}

/** A request whose body was read in slices. */
export interface PacedRequest {
  readonly raw: RawRequest;
  readonly listPath: readonly string[];
  /** How many items of the list to read, step by step, before all of it: none where little of it is new. */
  readonly steps: readonly number[];
}

/** The same for a large body. */
export async function pacedRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths, pacer }: RawRequestOptions & { readonly pacer: Pacer },
): Promise<PacedRequest | undefined> {
  const body = await bodies.readPaced(bytes, { kind: `${api} ${sessionId}`, listPaths, pacer });
  const raw = toRawRequest(path, body);
  return raw && { raw, listPath: body.listPath, steps: stepsOf(body) };
}

/** In bytes. Of a list, about so much that is new is read at a time. */
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

/** How many bytes two bodies begin with that are the same. */
export function commonLength(one: Buffer, other: Buffer): number {
  const areSame = (start: number, end: number) => one.compare(other, start, end, start, end) === 0;
  let same = 0;
  let different = Math.min(one.length, other.length);
  if (areSame(0, different)) return different;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (areSame(same, middle)) same = middle;
    else different = middle;
  }
  return same;
}
