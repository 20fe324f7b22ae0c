import { isJsonObject, itemsOf, type JsonObject, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { isForgedCompaction } from "./compaction-item.ts";
import { inputItems, typeOf } from "./items.ts";

const FIELDS: ReadonlySet<string> = new Set(["type", "compact_threshold"]);
const LEAST_THRESHOLD_TOKENS = 1_000;

/** Faults of what a request asks the provider to do with its context, and of what earlier requests got from that. */
export function* contextFaults(body: JsonObject): Generator<Refusal> {
  yield* managementFaults(body.context_management);
  yield* cacheOptionFaults(body);
  const items = inputItems(body.input);
  for (const [index, item] of items.entries()) {
    const type = typeOf(item);
    if (type === "compaction_trigger" && index < items.length - 1) {
      yield wrong(`input[${index}]`, "a compaction_trigger must be the final input item");
    }
    if (type !== "compaction") continue;
    if (typeof item.encrypted_content !== "string") {
      yield refuse(`Missing required parameter: 'input[${index}].encrypted_content'.`, {
        parameter: `input[${index}].encrypted_content`,
        code: "missing_required_parameter",
      });
    }
    if (isForgedCompaction(item)) {
      yield refuse(`The encrypted content for item ${String(item.id)} could not be verified.`, {
        code: "invalid_encrypted_content",
      });
    }
  }
}

const CACHE_OPTIONS: ReadonlySet<string> = new Set(["comparison_response_id", "mode", "ttl"]);

/** Models before GPT-5.6 have no such options. */
function* cacheOptionFaults({ model, prompt_cache_options: options }: JsonObject): Generator<Refusal> {
  if (options === undefined || options === null) return;
  const [, major, minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?/.exec(String(model)) ?? [];
  const isOld = major === undefined || Number(major) * 100 + Number(minor) < 506;
  if (!isJsonObject(options) || isOld) {
    yield refuse("Unsupported parameter: 'prompt_cache_options' is not supported with this model.", {
      parameter: "prompt_cache_options",
      code: "unsupported_parameter",
    });
    return;
  }
  const extra = unknownKey(options, CACHE_OPTIONS);
  if (extra !== undefined) {
    const parameter = `prompt_cache_options.${extra}`;
    yield refuse(`Unknown parameter: '${parameter}'.`, { parameter, code: "unknown_parameter" });
  }
}

function* managementFaults(management: unknown): Generator<Refusal> {
  if (management === undefined || management === null) return;
  if (!Array.isArray(management)) yield wrong("context_management", "expected an array");
  for (const [index, entry] of itemsOf(management).entries()) {
    const place = `context_management[${index}]`;
    if (!isJsonObject(entry) || entry.type !== "compaction") {
      yield wrong(`${place}.type`, "expected 'compaction'");
      continue;
    }
    const extra = unknownKey(entry, FIELDS);
    if (extra !== undefined) {
      yield refuse(`Unknown parameter: '${place}.${extra}'.`, { parameter: place, code: "unknown_parameter" });
    }
    const { compact_threshold: threshold } = entry;
    if (threshold === undefined || threshold === null) continue;
    if (typeof threshold !== "number" || threshold < LEAST_THRESHOLD_TOKENS) {
      yield wrong(`${place}.compact_threshold`, `expected an integer of at least ${LEAST_THRESHOLD_TOKENS}`);
    }
  }
}

function wrong(parameter: string, reason: string): Refusal {
  return refuse(`Invalid value: '${parameter}': ${reason}.`, { parameter, code: "invalid_value" });
}
