import { isUtf8 } from "node:buffer";
import { codingOf, type DecodeOptions, decodeWhole } from "./content-coding.ts";

export type RequestText =
  | { readonly type: "text"; readonly body: Buffer }
  | { readonly type: "too-large" }
  /** Too much is being decoded for other requests. */
  | { readonly type: "busy" }
  /** Nothing that an adapter could read: it is forwarded as it came. */
  | { readonly type: "opaque" };

/** A body that is text, decoded where it came compressed. */
export async function readRequestText(
  bytes: Buffer,
  contentEncoding: string | undefined,
  options: DecodeOptions,
): Promise<RequestText> {
  const decoded = await decodeWhole(bytes, codingOf(contentEncoding), options);
  if (decoded.type === "too-large" || decoded.type === "busy") return decoded;
  // what is no UTF-8 could not be written again as it was
  if (decoded.type === "undecodable" || !isUtf8(decoded.bytes)) return { type: "opaque" };
  return { type: "text", body: decoded.bytes };
}
