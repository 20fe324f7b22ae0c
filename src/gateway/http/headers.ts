import type { ReplyHead } from "./send-upstream.ts";

/** Headers with their original case and order: name, value, name, value … */
export type RawHeaders = readonly string[];

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Request headers that are not copied: the gateway sets its own, and has answered `expect` itself. */
const SET_ANEW: ReadonlySet<string> = new Set(["content-length", "expect", "host"]);

/** Headers that describe the bytes of a body, and are wrong once the body was changed. */
const OF_THE_BODY: ReadonlySet<string> = new Set(["content-encoding", "content-md5", "content-digest", "digest"]);

/** Returns the headers of a request that are sent upstream, verbatim. */
export function requestHeaders(raw: RawHeaders, body: "unchanged" | "changed"): string[] {
  const named = namedByConnection(raw);
  return pick(raw, (name) => {
    if (SET_ANEW.has(name) || name.startsWith("x-palimpsest-") || isOfTheHop(name, named)) return false;
    return body === "unchanged" || !OF_THE_BODY.has(name);
  });
}

/** Headers that the gateway adds, by name. */
export type OwnHeaders = Readonly<Record<string, string>>;

/** Returns the headers of a reply that are sent to the client, verbatim, and after them the gateway's own, which replace those of the same name. */
export function replyHeaders(raw: RawHeaders, own: OwnHeaders): string[] {
  const named = namedByConnection(raw);
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return [...pick(raw, (name) => !isOfTheHop(name, named) && !ownNames.has(name)), ...Object.entries(own).flat()];
}

/** Returns a request's headers so that they ask for a reply without compression, because the gateway would only have to decode it. */
export function withoutCompression(headers: readonly string[]): string[] {
  return [...without(headers, ["accept-encoding"]), "accept-encoding", "identity"];
}

/** Headers that describe the bytes of a reply, and are wrong once its text was changed. */
const OF_THE_BYTES = ["content-length", "content-encoding", "content-md5", "content-digest", "digest"];

/** Returns the head of a reply without the headers that describe its bytes. */
export function withoutLength(head: ReplyHead): ReplyHead {
  const headers = Object.fromEntries(Object.entries(head.headers).filter(([name]) => !OF_THE_BYTES.includes(name)));
  return { ...head, headers, raw: without(head.raw, OF_THE_BYTES) };
}

/** Returns the head of a reply whose text was changed, with its new length in bytes. */
export function withLength(head: ReplyHead, length: number): ReplyHead {
  const plain = withoutLength(head);
  const text = String(length);
  return {
    ...plain,
    headers: { ...plain.headers, "content-length": text },
    raw: [...plain.raw, "content-length", text],
  };
}

function without(headers: RawHeaders, names: readonly string[]): string[] {
  return headers.flatMap((name, at) => {
    if (at % 2 === 1 || names.includes(name.toLowerCase())) return [];
    return [name, headers[at + 1] ?? ""];
  });
}

function pick(raw: RawHeaders, isWanted: (name: string) => boolean): string[] {
  const picked: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    if (isWanted(name.toLowerCase())) picked.push(name, value);
  }
  return picked;
}

function isOfTheHop(name: string, named: ReadonlySet<string>): boolean {
  return HOP_BY_HOP.has(name) || name.startsWith("proxy-") || named.has(name);
}

function namedByConnection(raw: RawHeaders): ReadonlySet<string> {
  const values = pick(raw, (name) => name === "connection").filter((_, index) => index % 2 === 1);
  return new Set(values.flatMap((value) => value.split(",").map((name) => name.trim().toLowerCase())));
}
