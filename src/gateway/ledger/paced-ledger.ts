import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions, CondensationPlugin, CondensationResult } from "../../core/ports/condensation.ts";
import { applyLedgerPlan } from "../../engine/condense/condense-by-ledger.ts";
import { LEDGER_NAME, ledgerCondenser } from "../../engine/condense/ledger-condenser.ts";
import type { PacerPool } from "../pacer.ts";
import type { SentLedgerTask } from "./ledger-messages.ts";
import { type LedgerThread, lengthOf } from "./ledger-thread.ts";

export interface PacedLedgerPorts {
  readonly thread: LedgerThread;
  readonly pacers: PacerPool;
  /** Called with what failed, and never with content. */
  readonly incident: (what: string, error: unknown) => void;
}

/** A log is large from so many messages or characters on: the ledger of a smaller one is written before other requests notice. */
const LARGE_LOG = { messages: 400, characters: 150_000 };

/** The ledger condenser, which has ledgers of large logs planned in another thread: the same ledger, byte for byte. */
export function pacedLedger({ thread, pacers, incident }: PacedLedgerPorts): CondensationPlugin {
  const own = ledgerCondenser();

  async function inThread(messages: readonly Message[], options: CondensationOptions): Promise<CondensationResult> {
    const { signal } = options;
    const plan = await thread.plan({ messages, task: taskOf(options), pacer: pacers.pacer(), signal });
    return applyLedgerPlan(messages, plan, options);
  }

  return {
    ...own,
    condenseAhead: (messages) =>
      isLarge(messages)
        ? thread.judgeAhead(messages, pacers.pacer())
        : (own.condenseAhead?.(messages) ?? (() => undefined)),
    condense: async (messages, options) => {
      if (!isLarge(messages)) return own.condense(messages, options);
      try {
        return await inThread(messages, options);
      } catch (error) {
        if (options.signal?.aborted === true) throw error;
        // A thread that cannot be started, or that ran out of memory, must not keep a request from being folded.
        incident("ledger thread", error);
        return own.condense(messages, options);
      }
    },
  };
}

/** The condensers of a gateway: those that it is given, and a ledger where none of them is one. */
export function withPacedLedger(
  given: CondensationPlugin | readonly CondensationPlugin[] | undefined,
  ports: PacedLedgerPorts,
): readonly CondensationPlugin[] {
  const list = given === undefined ? [] : [given].flat();
  // What is no condenser is refused by the engine, in its own words.
  return list.some((condenser) => condenser?.name === LEDGER_NAME) ? list : [...list, pacedLedger(ports)];
}

function isLarge(messages: readonly Message[]): boolean {
  if (messages.length >= LARGE_LOG.messages) return true;
  let characters = 0;
  return messages.some((message) => {
    characters += lengthOf(message);
    return characters >= LARGE_LOG.characters;
  });
}

/** Only data, and only what a ledger needs. */
function taskOf(options: CondensationOptions): SentLedgerTask {
  const { taskId, keepMessages, targetShare, prevContextTokens, overheadTokens, allowedTokens } = options;
  const needed = { taskId, keepMessages, prevContextTokens, overheadTokens, allowedTokens };
  return targetShare === undefined ? needed : { ...needed, targetShare };
}
