import { assert, assertArray, assertNumber, assertObject } from "../../core/assert.ts";
import { isJsonObject } from "./json.ts";
import type { ScriptedOpening, ScriptedReply } from "./model-server.ts";

const TYPES = {
  text: true,
  "tool-calls": true,
  error: true,
  "late-error": true,
  hang: true,
  "hang-mid-stream": true,
  cut: true,
  "trail-off": true,
  garbage: true,
} satisfies Record<ScriptedReply["type"], true>;

const USAGE_FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

/** Throws on a reply that cannot be served: when it is scripted, not when it is sent. */
export function checkReply(reply: ScriptedReply): void {
  assertObject("reply", reply);
  assert(Object.hasOwn(TYPES, reply.type), "reply.type", reply.type, `one of ${Object.keys(TYPES).join(", ")}`);
  switch (reply.type) {
    case "hang":
    case "garbage":
      break;
    case "error":
      checkError(reply);
      break;
    case "late-error":
      checkError(reply);
      checkOpening(reply);
      break;
    case "tool-calls":
      checkCalls(reply.calls);
      assertString("reply.text", reply.text ?? "");
      checkExtras(reply);
      break;
    case "text":
      checkExtras(reply);
      assertString("reply.text", reply.text);
      break;
    case "cut":
    case "trail-off":
    case "hang-mid-stream":
      assertString("reply.text", reply.text);
      if (reply.calls !== undefined) checkCalls(reply.calls);
      checkOpening(reply);
      break;
  }
}

function checkOpening({ opensForMs }: ScriptedOpening): void {
  if (opensForMs !== undefined) assertNumber("reply.opensForMs", opensForMs, 0);
}

function checkError({ status, retryAfterSeconds }: Omit<Extract<ScriptedReply, { type: "error" }>, "type">): void {
  const isStatus = Number.isInteger(status) && status >= 400 && status <= 599;
  assert(isStatus, "reply.status", status, "a whole number from 400 to 599");
  if (retryAfterSeconds !== undefined) assertNumber("reply.retryAfterSeconds", retryAfterSeconds, 0);
}

function checkCalls(calls: unknown): void {
  assertArray("reply.calls", calls);
  assert(calls.length > 0, "reply.calls", calls, "an array with at least one call");
  for (const [index, call] of calls.entries()) {
    const name = `reply.calls[${index}]`;
    assert(isJsonObject(call), name, call, "an object");
    for (const field of ["id", "name"] as const) {
      const value = call[field];
      assert(typeof value === "string" && value !== "", `${name}.${field}`, value, "a string that is not empty");
    }
    assert(isJsonObject(call.input), `${name}.input`, call.input, "an object");
    assertString(`${name}.rawInput`, call.rawInput ?? "");
  }
}

function checkExtras({
  reasoning,
  redactedReasoning,
  usage,
  ...opening
}: Extract<ScriptedReply, { type: "text" | "tool-calls" }>): void {
  checkOpening(opening);
  assertString("reply.reasoning", reasoning ?? "");
  assertString("reply.redactedReasoning", redactedReasoning ?? "");
  if (usage === undefined) return;
  assertObject("reply.usage", usage);
  for (const field of USAGE_FIELDS) {
    const tokens = usage[field];
    if (tokens !== undefined) assertNumber(`reply.usage.${field}`, tokens, 0);
  }
}

function assertString(name: string, value: unknown): void {
  assert(typeof value === "string", name, value, "a string");
}
