import { isJsonObject, itemsOf, type JsonObject, objectsOf, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { blockFaults, blocksOf } from "./validate-blocks.ts";

const ROLES: readonly unknown[] = ["user", "assistant", "system"];
const FIELDS: ReadonlySet<string> = new Set(["role", "content"]);
/** System messages may also have settings for single turns. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([...FIELDS, "output_config", "clear_at"]);

/** Faults in single messages and in their order; tool pairs are checked elsewhere. */
export function* messageFaults(messages: unknown): Generator<Refusal> {
  if (messages === undefined) yield refuse("messages: Field required");
  if (!Array.isArray(messages)) yield refuse("messages: Input should be a valid list");
  if (itemsOf(messages).length === 0) yield refuse("messages: at least one message is required");
  for (const [index, message] of itemsOf(messages).entries()) {
    if (isJsonObject(message)) yield* shapeFaults(message, `messages.${index}`);
    else yield refuse(`messages.${index}: Input should be an object`);
  }
  const all = objectsOf(messages);
  yield* orderFaults(all);
  for (const [index, message] of all.entries()) {
    const isPrefill = index === all.length - 1 && message.role === "assistant";
    yield* contentFaults(message, index, isPrefill);
    if (isPrefill && /\s$/.test(lastText(message))) {
      yield refuse("messages: final assistant content cannot end with trailing whitespace");
    }
  }
}

function* shapeFaults(message: JsonObject, place: string): Generator<Refusal> {
  if (message.role === undefined) yield refuse(`${place}.role: Field required`);
  if (!ROLES.includes(message.role)) yield refuse(`${place}.role: Input should be 'user' or 'assistant'`);
  const extra = unknownKey(message, message.role === "system" ? SYSTEM_FIELDS : FIELDS);
  if (extra !== undefined) yield refuse(`${place}.${extra}: Extra inputs are not permitted`);
  if (isSettingOnly(message)) return;
  if (message.content === undefined) yield refuse(`${place}.content: Field required`);
  if (typeof message.content !== "string" && !Array.isArray(message.content)) {
    yield refuse(`${place}.content: Input should be a valid string or list`);
  }
  for (const [index, block] of itemsOf(message.content).entries()) {
    yield* blockFaults(block, `${place}.content.${index}`, message.role);
  }
}

function* orderFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const turns = [...messages.entries()].filter(([, message]) => !isSettingOnly(message));
  const roles = turns.map(([, { role }]) => role);
  if (roles[0] === "system") {
    yield refuse(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as the first input message role.',
    );
  }
  const startsCompacted = turns[0] !== undefined && blocksOf(turns[0][1])[0]?.type === "compaction";
  if (roles[0] !== "user" && !startsCompacted) yield refuse('messages: first message must use the "user" role');
  for (const [place, [index, { role }]] of turns.entries()) {
    if (role !== "system") continue;
    const next = roles[place + 1];
    if (roles[place - 1] !== "user" || (next !== undefined && next !== "assistant")) {
      yield refuse(
        `messages.${index}: a "system" message must follow a "user" message and be last or precede an "assistant" message`,
      );
    }
  }
}

/** Whether a system message has no content and only settings for the turns after it: it may be anywhere. */
function isSettingOnly({ role, content, output_config: settings }: JsonObject): boolean {
  const isSilent = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
  return role === "system" && isSilent && isJsonObject(settings) && Object.keys(settings).length > 0;
}

function* contentFaults(message: JsonObject, index: number, mayBeEmpty: boolean): Generator<Refusal> {
  const { content } = message;
  if (isSettingOnly(message)) return;
  if (content === "" || (Array.isArray(content) && content.length === 0)) {
    if (!mayBeEmpty) {
      yield refuse(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    return;
  }
  const lastType = blocksOf(message).at(-1)?.type;
  if (message.role === "assistant" && (lastType === "thinking" || lastType === "redacted_thinking")) {
    yield refuse(`messages.${index}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  for (const text of textsOf(message)) {
    if (text === "") yield refuse("messages: text content blocks must be non-empty");
    if (text.trim() === "") yield refuse("messages: text content blocks must contain non-whitespace text");
  }
}

/** The texts of a message, those in its results too. */
function textsOf(message: JsonObject): readonly string[] {
  const blocks = blocksOf(message).flatMap((block) =>
    block.type === "tool_result" ? objectsOf(block.content) : [block],
  );
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
}

function lastText(message: JsonObject): string {
  const last = blocksOf(message).at(-1);
  return last?.type === "text" && typeof last.text === "string" ? last.text : "";
}

/** Calls and results must be in neighbouring messages, each exactly once. */
export function* toolFaults(messages: readonly JsonObject[], hasTools: boolean): Generator<Refusal> {
  const turns = messages.map((message) => blocksOf(message));
  if (!hasTools && turns.some((turn) => turn.some(({ type }) => type === "tool_use" || type === "tool_result"))) {
    yield refuse("Requests which include `tool_use` or `tool_result` blocks must define tools");
  }
  const seen = new Set<unknown>();
  for (const [index, turn] of turns.entries()) {
    const calls = idsOf(turn, "tool_use");
    for (const id of calls) {
      if (seen.has(id)) yield refuse("messages: `tool_use` ids must be unique");
      seen.add(id);
    }
    yield* unansweredFaults(calls, turns[index + 1] ?? [], index);
    yield* resultFaults(turn, turns[index - 1] ?? [], index);
  }
}

function* unansweredFaults(calls: readonly string[], next: readonly JsonObject[], index: number): Generator<Refusal> {
  // results count only where they come first in the message
  const firstOther = next.findIndex(({ type }) => type !== "tool_result");
  const answered = idsOf(firstOther === -1 ? next : next.slice(0, firstOther), "tool_result");
  const open = calls.filter((id) => !answered.includes(id));
  if (open.length === 0) return;
  yield refuse(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function* resultFaults(
  turn: readonly JsonObject[],
  previous: readonly JsonObject[],
  index: number,
): Generator<Refusal> {
  const calls = idsOf(previous, "tool_use");
  const answered = new Set<string>();
  for (const [blockIndex, block] of turn.entries()) {
    if (block.type !== "tool_result") continue;
    const id = String(block.tool_use_id);
    const place = `messages.${index}.content.${blockIndex}`;
    if (!calls.includes(id)) {
      yield refuse(
        `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      yield refuse(
        `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
}

/** With a thinking budget, the running tool loop must start with the thinking that led to it. */
export function* thinkingFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const lastQuestion = messages.findLastIndex((message) => message.role === "user" && !carriesResults(message));
  const loopStart = messages.findIndex((message, index) => index > lastQuestion && message.role === "assistant");
  // A compaction comes before all else.
  const first = blocksOf(messages[loopStart] ?? {}).find(({ type }) => type !== "compaction");
  if (loopStart === -1 || first?.type === "thinking" || first?.type === "redacted_thinking") return;
  yield refuse(
    `messages.${loopStart}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

/** Models from version 4.6 on never continue a reply that the client began. */
export function* prefillFaults(messages: readonly JsonObject[], modelId: string): Generator<Refusal> {
  if (messages.at(-1)?.role !== "assistant" || PREFILLED_MODELS.test(modelId)) return;
  yield refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
}

/** The models before 4.6, and the names of tests. */
const PREFILLED_MODELS =
  /^claude-(?:[123]|instant|(?:opus|sonnet|haiku)-(?:3|4(?:-[0-5])?(?:-20\d+)?(?:$|[@:]))|(?!opus|sonnet|haiku|fable|mythos))/;

function carriesResults(message: JsonObject): boolean {
  return blocksOf(message).some(({ type }) => type === "tool_result");
}

function idsOf(blocks: readonly JsonObject[], type: "tool_use" | "tool_result"): readonly string[] {
  const field = type === "tool_use" ? "id" : "tool_use_id";
  return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}
