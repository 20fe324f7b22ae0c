import { assert } from "../../core/assert.ts";
import type { CompactionReader } from "../../core/message/compaction-reader.ts";
import { isMessageWire, type MessageWire, WIRES, type WirePrompt } from "../../messages/wires.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { Prepared, PrepareReport } from "./report.ts";

export interface PrepareAsOptions<Wire extends MessageWire> extends PrepareOptions {
  /** The wire whose official client is to take the prompt. */
  readonly as: Wire;
}

/**
 * A prompt to spread into the official client's call. `report` is not enumerable: reading it and `const { report } = prepared` work, and
 * `{ ...prepared }` leaves it out, so that it is never sent.
 */
export type PreparedPrompt<Wire extends MessageWire> = WirePrompt<Wire> & { readonly report: PrepareReport };

/** Wires on which one provider alone understands its compactions; those of SDKs carry what any provider says. */
const READERS: Readonly<Partial<Record<MessageWire, CompactionReader>>> = {
  anthropic: "anthropic",
  "openai-responses": "openai",
  "openai-chat": "other",
  gemini: "other",
};

/** Prepares a view, and makes the prompt of a wire of it where one is named. */
export function createPromptPrepare(
  prepare: (options: PrepareOptions) => Promise<Prepared>,
  systemPrompt: () => string,
) {
  return async (
    options: PrepareOptions | PrepareAsOptions<MessageWire>,
  ): Promise<Prepared | PreparedPrompt<MessageWire>> => {
    const wire = "as" in options ? options.as : undefined;
    if (wire === undefined) return prepare(options);
    const allowed = Object.keys(WIRES).map((name) => JSON.stringify(name));
    assert(isMessageWire(wire), "options.as", wire, allowed.join(", "));
    const toPrompt = await WIRES[wire]();
    const { messages, report } = await prepare({ compactionsOf: READERS[wire], ...options });
    const prompt = toPrompt(messages, { system: systemPrompt() });
    return Object.defineProperty({ ...prompt, report }, "report", { enumerable: false });
  };
}
