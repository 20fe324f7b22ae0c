import { asName, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { AiSdkJson, AiSdkProviderOptions } from "./ai-sdk-prompt.ts";

/** The fields in which providers return signed or sealed data: the provider's name in the AI SDK, and the field's name there and on our blocks. */
const SEALS: readonly (readonly [provider: string, field: string])[] = [
  ["anthropic", "signature"],
  ["anthropic", "redactedData"],
  ["google", "thoughtSignature"],
];

/**
 * The provider options of a part as fields of a block. Signatures become fields of the block itself, which other wires know too; all other
 * options are kept in `providerOptions`.
 */
export function readProviderOptions(options: unknown): JsonRecord {
  if (!isRecord(options)) return {};
  const seals: Record<string, string> = {};
  const rest = new Map(Object.entries(options));
  for (const [provider, field] of SEALS) {
    const seal = asName(fieldAt(options, provider, field));
    const others = rest.get(provider);
    if (seal === undefined || !isRecord(others)) continue;
    seals[field] = seal;
    const { [field]: _, ...left } = others;
    if (Object.keys(left).length === 0) rest.delete(provider);
    else rest.set(provider, left);
  }
  return { ...seals, ...(rest.size > 0 && { providerOptions: Object.fromEntries(rest) }) };
}

/** The reverse of {@link readProviderOptions}; an empty object if a block has neither signatures nor options. */
export function writeProviderOptions(block: object): { providerOptions?: AiSdkProviderOptions } {
  const given = fieldAt(block, "providerOptions");
  const options: AiSdkProviderOptions = isProviderOptions(given) ? { ...given } : {};
  for (const [provider, field] of SEALS) {
    const seal = asName(fieldAt(block, field));
    if (seal !== undefined) options[provider] = { ...options[provider], [field]: seal };
  }
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}

function isProviderOptions(value: unknown): value is AiSdkProviderOptions {
  return isRecord(value) && Object.values(value).every((options) => isRecord(options) && isJson(options));
}

/** Whether JSON can hold a value without loss. */
export function isJson(value: unknown): value is AiSdkJson {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  return Object.values(value).every(isJson) && (Array.isArray(value) || isPlain(value));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
