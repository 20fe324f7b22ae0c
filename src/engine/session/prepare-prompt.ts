import { assert, assertOptionNames } from "../../core/assert.ts";
import type { CompactionReader } from "../../core/message/compaction-reader.ts";
import { isMessageWire, type MessageWire, WIRES, type WirePrompt } from "../../messages/wires.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { Prepared, PrepareReport } from "./report.ts";

export interface PrepareAsOptions<Wire extends MessageWire> extends PrepareOptions {
  /** The wire of the official client that the prompt is for. */
  readonly as: Wire;
}

/**
 * A prompt to spread into the official client's call. `report` is not enumerable: reading it and `const { report } = prepared` work, and
 * `{ ...prepared }` leaves it out, so that it is never sent.
 */
export type PreparedPrompt<Wire extends MessageWire> = WirePrompt<Wire> & { readonly report: PrepareReport };

const PREPARE_OPTIONS: Readonly<Record<keyof PrepareAsOptions<MessageWire>, true>> = {
  as: true,
  signal: true,
  maxViewBytes: true,
  maxImages: true,
  targetShare: true,
  repair: true,
  isRequest: true,
  compactionsOf: true,
};

/** The provider behind each wire, which alone reads its own compactions. Wires of SDKs are missing: any provider may be behind them. */
const READERS: Readonly<Partial<Record<MessageWire, CompactionReader>>> = {
  anthropic: "anthropic",
  "openai-responses": "openai",
  "openai-chat": "other",
  gemini: "other",
};

/** Adds `as` to prepare: where the options name a wire, the view is converted to a prompt of that wire. */
export function createPromptPrepare(
  prepare: (options: PrepareOptions) => Promise<Prepared>,
  systemPrompt: () => string,
) {
  return async (
    options: PrepareOptions | PrepareAsOptions<MessageWire>,
  ): Promise<Prepared | PreparedPrompt<MessageWire>> => {
    assert(typeof options === "object", "options", options, 'an object, such as { as: "anthropic" }');
    assertOptionNames("options", options, PREPARE_OPTIONS);
    const wire = "as" in options ? options.as : undefined;
    if (wire === undefined) return prepare(options);
    assert(isMessageWire(wire), "options.as", wire, oneOf(Object.keys(WIRES)));
    const toPrompt = await WIRES[wire]();
    const { messages, report } = await prepare({ compactionsOf: READERS[wire], ...options });
    const prompt = toPrompt(messages, { system: systemPrompt() });
    return Object.defineProperty({ ...prompt, report }, "report", { enumerable: false });
  };
}

/** `"a", "b" or "c"` */
function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
