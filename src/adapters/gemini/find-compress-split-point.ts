import { assert, assertArray, assertObject } from "../../core/assert.ts";
import { findSplitPoint, type SplitTurn } from "../../core/condense/snapshot/split-point.ts";
import { serialize } from "../../core/tokens/serialize.ts";

/**
 * The index of the first content to keep when the oldest `fraction` of a conversation is compressed: the first user
 * turn without a function response that has at least `fraction` of all characters of JSON before it. Where none lies
 * that far: everything if the last turn is the model's and calls nothing, else the last such user turn, or 0.
 * @example
 * ```ts
 * import { findCompressSplitPoint } from "palimpsest/compat";
 * const turn = (role: string) => ({ role, parts: [{ text: "of equal length" }] });
 * console.log(findCompressSplitPoint([turn("user"), turn("model"), turn("user"), turn("model")], 0.5)); // 2
 * ```
 */
export function findCompressSplitPoint(contents: readonly GeminiContent[], fraction: number): number {
  assertArray("contents", contents);
  // Entries, unlike map, also visit the holes of an array.
  const turns = Array.from(contents.entries(), ([index, content]) => splitTurn(content, `contents[${index}]`));
  return findSplitPoint(turns, fraction);
}

function splitTurn(content: GeminiContent, where: string): SplitTurn {
  assertObject(where, content);
  const { role = "user", parts = [] } = content;
  assert(typeof role === "string", `${where}.role`, role, '"user" or "model"');
  assertArray(`${where}.parts`, parts);
  for (const [index, part] of parts.entries()) assertObject(`${where}.parts[${index}]`, part);
  return {
    characters: serialize(content).length,
    isSplit: role === "user" && !parts.some((part) => isSet(part, "functionResponse")),
    isClosed: role === "model" && !parts.some((part) => isSet(part, "functionCall")),
  };
}

function isSet(part: GeminiPart, field: "functionCall" | "functionResponse"): boolean {
  return part[field] !== undefined && part[field] !== null;
}

/** One turn in Gemini's format. The SDK's own `Content` fits. */
export interface GeminiContent {
  /** `"user"` or `"model"`; without one, Gemini takes it as the user's. */
  readonly role?: string;
  readonly parts?: readonly GeminiPart[];
}

/** One part of a turn. The second form lets literals with fields that we do not read compile. */
export type GeminiPart = GeminiPartFields | { readonly [field: string]: unknown };

export interface GeminiPartFields {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: object;
}
