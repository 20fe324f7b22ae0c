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
  /** Called with the name of the step that failed and its error; neither holds content of a request. */
  readonly incident: (what: string, error: unknown) => void;
}

/** A log of at least this many messages or characters is large. The ledger of a smaller one is written too quickly to delay other requests. */
const LARGE_LOG = { messages: 400, characters: 150_000 };

/** The ledger condenser with the ledgers of large logs planned in a worker thread. Its ledgers are byte for byte those of `ledgerCondenser`. */
export function pacedLedger({ thread, pacers, incident }: PacedLedgerPorts): CondensationPlugin {
  const own = ledgerCondenser();

  async function inThread(messages: readonly Message[], options: CondensationOptions): Promise<CondensationResult> {
    const { signal } = options;
    const pacer = pacers.pacer();
    const plan = await thread.plan({ messages, task: taskOf(options), pacer, signal });
    await pacer.pause();
    const result = applyLedgerPlan(messages, plan, options);
    await pacer.pause();
    return result;
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

/** The condensers of a gateway: the given ones, and a ledger if none of them is a ledger. */
export function withPacedLedger(
  given: CondensationPlugin | readonly CondensationPlugin[] | undefined,
  ports: PacedLedgerPorts,
): readonly CondensationPlugin[] {
  const list = given === undefined ? [] : [given].flat();
  // A value that is no condenser is passed on: the engine throws the error for it.
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

/** The options of a condensation that a ledger needs, without functions: these cannot be sent to a thread. */
function taskOf(options: CondensationOptions): SentLedgerTask {
  const { taskId, keepMessages, targetShare, prevContextTokens, overheadTokens, allowedTokens } = options;
  const needed = { taskId, keepMessages, prevContextTokens, overheadTokens, allowedTokens };
  return targetShare === undefined ? needed : { ...needed, targetShare };
}
