import { asName, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { AiSdkJson, AiSdkProviderOptions } from "./ai-sdk-prompt.ts";

/** What providers sign, under the names that the AI SDK and our blocks have for it. */
const SEALS: readonly (readonly [provider: string, field: string])[] = [
  ["anthropic", "signature"],
  ["anthropic", "redactedData"],
  ["google", "thoughtSignature"],
];

/**
 * The options of a part as fields of a block: what a provider signed under the name that all wires have for it, so that the block can be
 * sent over another one; the rest as it came.
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

/** The reverse of {@link readProviderOptions}: nothing where a block has none of it. */
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
  return isRecord(value) && Object.values(value).every((each) => isRecord(each) && isJson(each));
}

/** Whether JSON can hold it as it is. */
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
