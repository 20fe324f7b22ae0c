import { sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import { type JsonBody, jsonBody, type ListPaths, readJsonBody, withList } from "./json-body.ts";
import { type ScannedList, scanList } from "./scan-list.ts";

/** In bytes. About so much is parsed at a time. */
const PART_BYTES = 128 * 1024;

/**
 * Reads a body in slices: its list part by part, then what is around it. What comes back is what `readJsonBody` gives; a body that is unusual
 * (a list of that name twice, an escape in a name on the way) or broken is read in one go.
 */
export async function readJsonBodyPaced(bytes: Buffer, listPaths: ListPaths, pacer: Pacer): Promise<JsonBody> {
  for (const [index, listPath] of listPaths.entries()) {
    const list = await scanList(bytes, listPath, pacer);
    const read = list && (await readInParts(bytes, { list, listPath, pacer }));
    if (read === undefined) continue;
    // Of several paths, the first that leads to a list counts.
    const isFirst = listPaths.slice(0, index).every((path) => !Array.isArray(fieldAt(read.value, ...path)));
    if (isFirst) return read;
  }
  return readJsonBody(bytes, listPaths);
}

interface FoundList {
  readonly list: ScannedList;
  readonly listPath: readonly string[];
  readonly pacer: Pacer;
}

/** Undefined where a part, or what is around the list, is not what the scan took it for. */
async function readInParts(bytes: Buffer, { list, listPath, pacer }: FoundList): Promise<JsonBody | undefined> {
  const { openAt, start, ends, closeAt } = list;
  const opening = bytes.toString("utf8", 0, openAt + 1);
  const around = `${opening}${bytes.toString("utf8", closeAt)}`;
  const owner = tryParseJson(around);
  // The list must be the one that counts: another of its name may come further on.
  const isTheOne = owner !== undefined && sliceListAt(around, listPath)?.slice.start === opening.length - 1;
  const items = isTheOne ? await parseItems(bytes, list, pacer) : undefined;
  if (items === undefined) return undefined;
  const head = bytes.toString("utf8", 0, start);
  const places = { head, openAt: opening.length - 1, start, ends };
  const value = withList(owner, listPath, items);
  return jsonBody({ bytes, listPath, value, sharedItems: 0, places: () => places });
}

async function parseItems(bytes: Buffer, { start, ends }: ScannedList, pacer: Pacer) {
  const items: unknown[] = [];
  let from = start;
  for (let first = 0; first < ends.length; ) {
    const next = endOfPart(ends, first, from);
    const end = ends[next - 1] ?? from;
    const part = tryParseJson(`[${bytes.toString("utf8", from, end)}]`);
    if (!Array.isArray(part) || part.length !== next - first) return undefined;
    for (const item of part) items.push(item);
    // Behind the comma; the space there is JSON's own.
    from = bytes.indexOf(",", end) + 1;
    first = next;
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  return items;
}

/** The index of the first item behind the part that begins with `first`: a part is as many items as fit, and at least one. */
function endOfPart(ends: readonly number[], first: number, from: number): number {
  let next = first + 1;
  while (next < ends.length && (ends[next] ?? 0) - from <= PART_BYTES) next++;
  return next;
}
