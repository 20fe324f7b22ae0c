import { isJsonObject, itemsOf, type JsonObject, objectsOf, stringOf, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { emptyArray, missing, toolNameFaults } from "./refusals.ts";

const ROLES: readonly string[] = ["system", "assistant", "user", "function", "tool", "developer"];

/** `reasoning_content` and `reasoning` are not OpenAI's own, but servers of this wire want them back. */
const FIELDS: ReadonlySet<string> = new Set(
  "role content name tool_calls tool_call_id refusal audio function_call annotations reasoning_content reasoning prefix".split(
    " ",
  ),
);

/** The longest name of a tool. */
export const MAX_NAME_LENGTH = 64;

/** The faults that a message has by itself: whether its calls are answered is for `pairFaults`. */
export function* messageFaults(messages: unknown, roleFault = unknownRole): Generator<Refusal> {
  if (messages === undefined) yield missing("messages");
  if (!Array.isArray(messages))
    yield refuse("Invalid type for 'messages': expected an array.", { parameter: "messages", code: "invalid_type" });
  if (itemsOf(messages).length === 0) yield emptyArray("messages");
  for (const [index, message] of itemsOf(messages).entries()) {
    const place = `messages[${index}]`;
    if (!isJsonObject(message)) {
      yield refuse(`Invalid type for '${place}': expected an object.`, { parameter: place, code: "invalid_type" });
      continue;
    }
    if (message.role === undefined) yield missing(`${place}.role`);
    const fault = roleFault(message.role, place);
    if (fault !== undefined) yield fault;
    const extra = unknownKey(message, FIELDS);
    if (extra !== undefined) {
      yield refuse(`Unknown parameter: '${place}.${extra}'.`, {
        parameter: `${place}.${extra}`,
        code: "unknown_parameter",
      });
    }
    yield* contentFaults(message, index);
    yield* callFaults(message, place);
  }
}

function unknownRole(role: unknown, place: string): Refusal | undefined {
  if (typeof role === "string" && ROLES.includes(role)) return undefined;
  const supported = ROLES.map((known) => `'${known}'`).join(", ");
  return refuse(`Invalid value: '${String(role)}'. Supported values are: ${supported}.`, {
    parameter: `${place}.role`,
    code: "invalid_value",
  });
}

function* contentFaults({ role, content, ...message }: JsonObject, index: number): Generator<Refusal> {
  const isSaidOtherwise = [message.tool_calls, message.function_call, message.refusal, message.audio].some(
    (value) => value !== undefined && value !== null,
  );
  if (role === "assistant" && isSaidOtherwise && (content === undefined || content === null)) return;
  if (content === undefined) yield missing(`messages[${index}].content`);
  if (Array.isArray(content)) {
    if (content.length === 0) yield emptyArray(`messages[${index}].content`);
    for (const [partIndex, part] of content.entries()) {
      yield* partFaults(part, { place: `messages[${index}].content[${partIndex}]`, role, index });
    }
  } else if (typeof content !== "string") {
    const found = content === null ? "null" : typeof content;
    yield refuse(`Invalid value for 'content': expected a string, got ${found}.`, {
      parameter: `messages.[${index}].content`,
    });
  }
}

interface PartPlace {
  readonly place: string;
  readonly role: unknown;
  /** The message's index. */
  readonly index: number;
}

/** The fields that parts must have, and the roles whose messages may hold them. Newer models take media from tools, though no document says so. */
const PARTS: Readonly<Record<string, { readonly field: string; readonly roles: readonly unknown[] }>> = {
  text: { field: "text", roles: ROLES },
  refusal: { field: "refusal", roles: ["assistant"] },
  image_url: { field: "image_url", roles: ["user", "tool"] },
  input_audio: { field: "input_audio", roles: ["user", "tool"] },
  file: { field: "file", roles: ["user", "tool"] },
};

function* partFaults(part: unknown, { place, role, index }: PartPlace): Generator<Refusal> {
  if (!isJsonObject(part) || part.type === undefined) {
    yield missing(`${place}.type`);
    return;
  }
  const type = String(part.type);
  const known = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
  if (known?.roles.includes(role) !== true) {
    yield refuse(
      type === "image_url"
        ? `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${String(role)}' contains an image URL.`
        : `Invalid value: '${type}'.`,
      { parameter: `${place}.type`, code: "invalid_value" },
    );
  } else if (part[known.field] === undefined || part[known.field] === null) {
    yield missing(`${place}.${known.field}`);
  } else if (type === "image_url" && (!isJsonObject(part.image_url) || !stringOf(part.image_url.url))) {
    yield missing(`${place}.image_url.url`);
  }
}

function* callFaults({ tool_calls: calls }: JsonObject, place: string): Generator<Refusal> {
  if (calls === undefined || calls === null) return;
  if (itemsOf(calls).length === 0) yield emptyArray(`${place}.tool_calls`);
  for (const [index, call] of itemsOf(calls).entries()) {
    const at = `${place}.tool_calls[${index}]`;
    if (!isJsonObject(call) || typeof call.id !== "string") {
      yield missing(`${at}.id`);
    } else if (call.type === undefined) {
      yield missing(`${at}.type`);
    } else if (call.type === "function") {
      const called = isJsonObject(call.function) ? call.function : {};
      if (typeof called.name !== "string" || called.name === "") yield missing(`${at}.function.name`);
      yield* toolNameFaults(called.name, `${at}.function.name`, MAX_NAME_LENGTH);
      if (typeof called.arguments !== "string") yield missing(`${at}.function.arguments`);
    }
  }
}

/** Every call is answered by a tool message right after its assistant message, and nothing else is. */
export function* pairFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  let called: readonly string[] = [];
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      yield* answerFaults(message, { index, called, open });
      open.delete(String(message.tool_call_id));
      continue;
    }
    yield* openFaults(open, index);
    called = objectsOf(message.tool_calls).map(({ id }) => String(id));
    open = new Set(called);
  }
  yield* openFaults(open, messages.length);
}

interface Awaited {
  readonly index: number;
  readonly called: readonly string[];
  readonly open: ReadonlySet<string>;
}

function* answerFaults({ tool_call_id: id }: JsonObject, { index, called, open }: Awaited): Generator<Refusal> {
  if (called.length === 0) {
    yield refuse(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { parameter: `messages.[${index}].role` },
    );
  }
  const parameter = `messages.[${index}].tool_call_id`;
  if (typeof id !== "string") {
    yield refuse("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", {
      parameter,
    });
  } else if (!called.includes(id)) {
    yield refuse(`Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`, {
      parameter,
    });
  } else if (!open.has(id)) {
    yield refuse(`Duplicate value for 'tool_call_id' of '${id}' in message[${index}].`, { parameter });
  }
}

function* openFaults(open: ReadonlySet<string>, index: number): Generator<Refusal> {
  if (open.size === 0) return;
  yield refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    { parameter: `messages.[${index}].role` },
  );
}
