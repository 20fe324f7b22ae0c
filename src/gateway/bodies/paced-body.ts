import { sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import { type JsonBody, jsonBody, type ListPaths, readJsonBody, withList } from "./json-body.ts";
import { type ScannedList, scanList } from "./scan-list.ts";

/** About how many bytes are parsed between two pauses. */
const PART_BYTES = 128 * 1024;

/**
 * Reads a body with pauses: what is around its list, and then the list part by part. The result is that of `readJsonBody`. A body that is
 * unusual (the list's field occurs twice, a name on the path is written with an escape) or not valid JSON is read without pauses.
 */
export async function readJsonBodyPaced(bytes: Buffer, listPaths: ListPaths, pacer: Pacer): Promise<JsonBody> {
  for (const [index, listPath] of listPaths.entries()) {
    const list = await scanList(bytes, listPath, pacer);
    const read = list && (await readInParts(bytes, { list, listPath, pacer }));
    if (read === undefined) continue;
    // An earlier path may lead to a list too, which the scan did not recognise: then that list is the conversation.
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

/** Parses the body by the offsets of the scan. Returns undefined if they turn out to be wrong: the scan does not check the JSON. */
async function readInParts(bytes: Buffer, { list, listPath, pacer }: FoundList): Promise<JsonBody | undefined> {
  const { openAt, start, ends, closeAt } = list;
  const opening = bytes.toString("utf8", 0, openAt + 1);
  const withEmptyList = `${opening}${bytes.toString("utf8", closeAt)}`;
  const owner = tryParseJson(withEmptyList);
  // If the field occurs twice, the last one counts in JSON: that may be another list than the one that was scanned.
  const isEffective = owner !== undefined && sliceListAt(withEmptyList, listPath)?.slice.start === opening.length - 1;
  const items = isEffective ? await parseItems(bytes, list, pacer) : undefined;
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
    // The next part begins behind the comma; white space there is parsed with it.
    from = bytes.indexOf(",", end) + 1;
    first = next;
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  return items;
}

/** Returns the index of the first item behind the part that begins with the item `first`. A part has as many items as fit, and at least one. */
function endOfPart(ends: readonly number[], first: number, from: number): number {
  let next = first + 1;
  while (next < ends.length && (ends[next] ?? 0) - from <= PART_BYTES) next++;
  return next;
}
