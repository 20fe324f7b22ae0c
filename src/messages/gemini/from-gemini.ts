import { assert, assertArray, assertFunction, assertObject } from "../../core/assert.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { inventCallId, isToolResult } from "../../core/message/tool-pairs.ts";
import { type CallNames, createCallNames } from "../../core/transcript/gemini-call-names.ts";
import { callOf, readPart, responseOf, textFieldOf } from "../../core/transcript/gemini-part.ts";
import { assertList, type WholeResponse } from "../shared/assert-list.ts";
import type { GeminiContentLike } from "./gemini-prompt.ts";
import { UNCHECKED_SIGNATURE } from "./signatures.ts";

export interface FromGeminiOptions {
  /**
   * Makes the end of an id for a call without one, as models before version 3 send. It must be unique in the session.
   * @default crypto.randomUUID
   */
  readonly createId?: (() => string) | undefined;
}

/**
 * Converts contents of Google's client to our messages, ready for `session.append`: those of a request, or the `content` of a candidate as a list
 * of one. A response without an id answers the call in the same list that has the same name, or else the same position.
 * @example
 * ```ts
 * import { fromGemini } from "palimpsest/messages";
 * const reply = { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" }] };
 * console.log(fromGemini([reply])[0]?.content[0]); // { thoughtSignature: 'c2ln', type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } }
 * ```
 */
export function fromGemini(list: readonly GeminiContentLike[], options: FromGeminiOptions = {}): readonly Message[] {
  assertList("contents", list, RESPONSE);
  assertObject("options", options);
  const { createId = () => crypto.randomUUID() } = options;
  assertFunction("options.createId", createId);
  const names = createCallNames(() => inventCallId(createId()));
  return list.map((content, index) => readContent(content, { index, names }));
}

const RESPONSE: WholeResponse = {
  isWhole: ({ parts, candidates }) => parts === undefined && Array.isArray(candidates),
  messages: "[response.candidates[0].content]",
};

interface Turn {
  readonly index: number;
  readonly names: CallNames;
}

const ROLES: Readonly<Record<string, Message["role"]>> = {
  user: "user",
  function: "user",
  "": "user",
  model: "assistant",
};

function readContent(content: unknown, { index, names }: Turn): Message {
  const where = `contents[${index}]`;
  assert(isRecord(content), where, content, "a content with role and parts");
  // A content without a role is the user's.
  const { role: wireRole = "user", parts: wireParts = [] } = content;
  const role = typeof wireRole === "string" && Object.hasOwn(ROLES, wireRole) ? ROLES[wireRole] : undefined;
  assert(role !== undefined, `${where}.role`, wireRole, '"user" or "model"');
  assertArray(`${where}.parts`, wireParts);
  const parts = wireParts.map(withoutUncheckedSignature);
  const paired = parts.map(role === "assistant" ? callOf : responseOf);
  const callsOrResponses = paired.filter(isRecord);
  const ids = role === "assistant" ? names.nameCalls(callsOrResponses, index) : names.nameResponses(callsOrResponses);
  let next = 0;
  return {
    role,
    content: parts.map((part, at) => {
      const callId = paired[at] === undefined ? "" : (ids[next++] ?? "");
      return withResponseForm(readPart(part, { role, callId }), paired[at]?.response);
    }),
  };
}

/** Removes the placeholder signature that `toGemini` writes: it was not made by Gemini. */
function withoutUncheckedSignature(part: unknown): unknown {
  if (!isRecord(part) || part.thoughtSignature !== UNCHECKED_SIGNATURE) return part;
  const { thoughtSignature: _, ...rest } = part;
  return rest;
}

/** Our results are text: this keeps in which field of the response it was, so that `toGemini` can write an unchanged result in the same form. */
function withResponseForm(block: Block, response: unknown): Block {
  if (!isToolResult(block) || !isRecord(response)) return block;
  const field = textFieldOf(Object.keys(response));
  if (field === undefined || typeof response[field] !== "string") return { ...block, responseFormat: "json" };
  return field === "output" || field === "error" ? block : { ...block, responseField: field };
}
