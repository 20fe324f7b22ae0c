import type { RawRequest, WireRequest } from "../../core/ports/wire-adapter.ts";
import { asArray, asNumber, isRecord, type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";
import { canonicalTurn } from "./canonical-turn.ts";
import { protoField } from "./proto-fields.ts";
import { partsOf, readTurns, type Turn } from "./read-turns.ts";

// Counts of tokens are no part of a conversation: they may be of any piece of one, and are forwarded.
const PATH = /(?:^|\/)([^/:]+):(generateContent|streamGenerateContent)$/;

const turnsOf = new WeakMap<WireRequest, readonly Turn[]>();

export function readRequest(raw: RawRequest): WireRequest | undefined {
  try {
    return read(raw);
  } catch {
    // what is nested deeper than the stack goes is none of our business either
    return undefined;
  }
}

/** Where each message of a request stands. */
export function requestTurns(request: WireRequest): readonly Turn[] {
  const known = turnsOf.get(request);
  if (known !== undefined) return known;
  const body = parseJson(request.raw.body);
  return (isRecord(body) ? readTurns(asArray(body.contents)) : undefined) ?? [];
}

function read(raw: RawRequest): WireRequest | undefined {
  const [, model, verb] = PATH.exec(raw.path) ?? [];
  const body = model === undefined ? undefined : parseJson(raw.body);
  if (model === undefined || !isRecord(body) || !Array.isArray(body.contents)) return undefined;
  const contents: readonly unknown[] = body.contents;
  const turns = readTurns(contents);
  const first = turns?.[0];
  if (turns === undefined || first === undefined) return undefined;
  const request: WireRequest = {
    raw,
    modelId: decoded(model),
    isStreaming: verb === "streamGenerateContent",
    maxOutputTokens: maxOutputTokens(body),
    systemPrompt: [systemText(body), ...contents.slice(0, first.start).flatMap(textsOf)].filter(Boolean).join("\n\n"),
    tools: Array.isArray(body.tools) ? body.tools : isRecord(body.tools) ? [body.tools] : [],
    messages: turns.map(({ message }) => message),
    canonical: turns.map(({ start, end }) => canonicalTurn(contents.slice(start, end))),
  };
  turnsOf.set(request, turns);
  return request;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function maxOutputTokens(body: JsonRecord): number | undefined {
  const config = protoField(body, "generationConfig");
  return isRecord(config) ? asNumber(protoField(config, "maxOutputTokens")) : undefined;
}

function systemText(body: JsonRecord): string {
  const instruction = protoField(body, "systemInstruction");
  return typeof instruction === "string" ? instruction : textsOf(instruction).join("\n\n");
}

function textsOf(content: unknown): readonly string[] {
  return partsOf(content).flatMap((part) => (isRecord(part) && typeof part.text === "string" ? [part.text] : []));
}
