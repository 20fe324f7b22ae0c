import { assert, assertNumber, assertObject, assertOptionNames } from "../../core/assert.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationPlugin } from "../../core/ports/condensation.ts";
import { latePart } from "../late-part.ts";

export interface LedgerCondenserOptions {
  /** @default "ledger" */
  readonly name?: string;
  /** Lower than that of condensers that ask a model, so that the ledger runs where they fail. @default -10 */
  readonly priority?: number;
  /** The size of the conversation afterwards, as a share of what is allowed beside system prompt and tools. @default 0.5 */
  readonly targetShare?: number;
  /** The size of the newest messages that stay unchanged, as a share of what standing context leaves of the view. @default 0.1 */
  readonly tailShare?: number;
}

export const LEDGER_NAME = "ledger";
const OPTIONS = { name: true, priority: true, targetShare: true, tailShare: true } as const;
const DEFAULT_PRIORITY = -10;

/** A late part, as most sessions end before they need a ledger. */
const loadLedger = latePart(() => import("./condense-by-ledger.ts"));

/**
 * Creates a condenser that asks no model: it quotes the lines that will most likely be needed. That costs nothing, takes milliseconds, and works in
 * any window.
 * @example
 * ```ts
 * import { createBareEngine, ledgerCondenser, type Message } from "palimpsest";
 * const engine = createBareEngine({ model: "claude-sonnet-4-5", condenser: ledgerCondenser() });
 * const messages = Array.from({ length: 60 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Step ${at}: ${"a line ".repeat(90)}` }));
 * const { summary, cost } = await engine.condense({ messages });
 * console.log(summary !== "", cost); // true 0
 * ```
 */
export function ledgerCondenser(options: LedgerCondenserOptions = {}): CondensationPlugin {
  assertObject("options", options);
  assertOptionNames("options", options, OPTIONS);
  const { name = LEDGER_NAME, priority = DEFAULT_PRIORITY, targetShare, tailShare } = options;
  assertNumber("options.priority", priority);
  assertShare("options.targetShare", targetShare);
  assertShare("options.tailShare", tailShare);
  return {
    name,
    priority,
    usesModel: false,
    shouldActivate: () => true,
    condenseAhead: judgeAhead,
    condense: async (messages, condensation) => {
      const { condenseByLedger } = await loadLedger();
      return condenseByLedger(messages, condensation, { targetShare, tailShare });
    },
  };
}

/** Scores the log's past before a condensation needs it; returns a function that frees the result. Errors are ignored: the condensation reports them. */
function judgeAhead(messages: readonly Message[]): () => void {
  let isReleased = false;
  let release: (() => void) | undefined;
  loadLedger()
    .then(({ judgeLedgerAhead }) => {
      if (!isReleased) release = judgeLedgerAhead(messages);
    })
    .catch(() => undefined);
  return () => {
    isReleased = true;
    release?.();
  };
}

function assertShare(name: string, value: number | undefined): void {
  const isShare = value === undefined || (typeof value === "number" && value > 0 && value < 1);
  assert(isShare, name, value, "above 0 and below 1");
}
