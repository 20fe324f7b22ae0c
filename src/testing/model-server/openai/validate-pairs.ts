import { type JsonObject, objectsOf } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";

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
