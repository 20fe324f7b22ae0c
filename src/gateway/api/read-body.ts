import { parseJson } from "../../core/json/parse-json.ts";
import { Refusal } from "./refusal.ts";
import type { Shape } from "./shape.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** Reads and checks the JSON body of a request. An empty body counts as `{}`. Rejects with a `Refusal`. */
export async function readBody<Body>(request: Request, shape: Shape<Body>, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  assertJson(request);
  const text = await readText(request, maxBytes);
  const body = text.trim() === "" ? {} : parse(text);
  if (shape.accepts(body)) return body;
  throw invalid(shape.problemOf(body, "The body") ?? "The body is not what it must be.");
}

export function invalid(message: string): Refusal {
  return new Refusal(400, { code: "invalid-argument", message });
}

/** Throws unless the body is declared as JSON: pages of other sites can send every type that forms have, but not JSON, without a preflight. */
function assertJson({ headers }: Request): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new Refusal(415, {
    code: "unsupported-media-type",
    message: "Requests that change something need the header content-type: application/json.",
  });
}

async function readText({ headers, body }: Request, maxBytes: number): Promise<string> {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid("The body is not UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The parser's message is not used, because it quotes the body.
    throw invalid('The body is not JSON. Send an object, such as {"foldId":"condense-1abc"}.');
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, {
    code: "too-large",
    message: `The body is larger than ${maxBytes} bytes.`,
  });
}
