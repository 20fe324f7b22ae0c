import { assert, assertObject } from "../../core/assert.ts";
import type { AfterVerdict, BeforeVerdict } from "../../core/ports/hooks.ts";

/** Reads a hook's verdict, without unknown fields. Undefined for undefined; throws where the value is no verdict. */
export function readBeforeVerdict(value: unknown): BeforeVerdict | undefined {
  if (value === undefined) return undefined;
  const { type, reason, prompt, keepMessages } = fieldsOf(value);
  assertType(type);
  if (type === "veto") return { type, reason: readText("verdict.reason", reason) };
  return {
    type,
    ...(prompt === undefined ? {} : { prompt: readText("verdict.prompt", prompt) }),
    ...(keepMessages === undefined ? {} : { keepMessages: readCount("verdict.keepMessages", keepMessages) }),
  };
}

/** Reads a hook's verdict, without unknown fields. Undefined for undefined; throws where the value is no verdict. */
export function readAfterVerdict(value: unknown): AfterVerdict | undefined {
  if (value === undefined) return undefined;
  const { type, reason, summary } = fieldsOf(value);
  assertType(type);
  return type === "veto"
    ? { type, reason: readText("verdict.reason", reason) }
    : { type, summary: readText("verdict.summary", summary) };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  assertObject("verdict", value);
  return { ...value };
}

function assertType(type: unknown): asserts type is "veto" | "edit" {
  assert(type === "veto" || type === "edit", "verdict.type", type, '"veto" or "edit"');
}

function readText(name: string, value: unknown): string {
  assert(typeof value === "string" && value.trim() !== "", name, value, "a string that is not blank");
  return value;
}

function readCount(name: string, value: unknown): number {
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  assert(isCount, name, value, "a whole number of at least 0");
  return value;
}
