import type { RawRequest, WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { AgentRequest } from "../turn.ts";
import { type JsonBody, type ListPaths, readJsonBody } from "./json-body.ts";

/** Remembers bodies for a while: the next one of a conversation begins with the last one. */
export interface RecentBodies {
  /** Reads a body with the help of an earlier one of the same `kind`: an API, and whatever else distinguishes conversations. */
  read(bytes: Buffer, options: { readonly kind: string; readonly listPaths: ListPaths }): JsonBody;
  /** What was deleted is not remembered either. */
  forgetAll(): void;
}

export interface RecentBodiesOptions {
  /** Of all that are remembered together; what was parsed of them takes about twice as much on top. @default 192 MB */
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

  return {
    read(bytes, { kind, listPaths }) {
      if (bytes.length < SMALLEST_BYTES) return readJsonBody(bytes, listPaths);
      const { earlier, common = 0 } = find(bytes, kind) ?? {};
      const body = readJsonBody(bytes, listPaths, earlier?.body);
      const isContinued = earlier !== undefined && continues(earlier, common);
      if (body.value !== undefined) remember(body, kind, isContinued ? earlier : undefined);
      return body;
    },
    forgetAll: () => {
      remembered = [];
    },
  };
}

/** Of smaller bodies the whole text is made as fast. */
const SMALLEST_SPARSE_BYTES = 32_768;

export interface RawRequestOptions {
  readonly bodies: RecentBodies;
  /** Of the agent's session, where its headers name one. */
  readonly sessionId: string | undefined;
  readonly listPaths: WireAdapter["listPaths"];
}

/** A request for an adapter; undefined where its body is no JSON. Its text is made only where somebody needs it. */
export function rawRequestOf(
  { api, path, body: bytes }: AgentRequest,
  { bodies, sessionId = "", listPaths }: RawRequestOptions,
): RawRequest | undefined {
  const { value, sparseText } = bodies.read(bytes, { kind: `${api} ${sessionId}`, listPaths });
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
