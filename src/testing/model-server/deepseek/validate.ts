import { type JsonObject, objectsOf } from "../json.ts";
import { windowFaults } from "../openai/validate.ts";
import { messageFaults } from "../openai/validate-messages.ts";
import { pairFaults } from "../openai/validate-pairs.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { isThinking } from "./thinking.ts";

const ROLES: readonly string[] = ["system", "user", "assistant", "tool"];

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { body } = request;
  if (request.modelId === "")
    yield refuse("Failed to deserialize the JSON body into the target type: missing field `model`");
  if (!isKnownModel(request, /^deepseek-/)) yield refuse("Model Not Exist");
  yield* messageFaults(body.messages, unknownRole);
  const messages = objectsOf(body.messages);
  yield* pairFaults(messages);
  if (isThinking(request)) yield* reasoningFaults(messages);
  yield* endFaults(messages);
  yield* windowFaults(request);
}

function unknownRole(role: unknown, place: string): Refusal | undefined {
  if (typeof role === "string" && ROLES.includes(role)) return undefined;
  const expected = ROLES.map((known) => `\`${known}\``).join(", ");
  return refuse(
    `Failed to deserialize the JSON body into the target type: ${place}.role: unknown variant \`${String(role)}\`, expected one of ${expected}`,
  );
}

/** In thinking mode every turn with calls brings its reasoning back; an empty one will do. */
function* reasoningFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  for (const [index, message] of messages.entries()) {
    if (objectsOf(message.tool_calls).length === 0 || typeof message.reasoning_content === "string") continue;
    yield refuse(`Missing \`reasoning_content\` field in the assistant message at message index ${index}.`);
  }
}

/** The model continues an assistant message only where it is marked as a prefix. */
function* endFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const last = messages.at(-1);
  if (last?.role === "user" || last?.role === "tool" || last?.prefix === true) return;
  yield refuse("The last message must be from the user or a tool, or an assistant message with `prefix` set to true.");
}
