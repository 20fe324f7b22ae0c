/** Runs in a thread of its own: plans ledgers of large logs, of which reading every line takes seconds. */
import { parentPort } from "node:worker_threads";
import { describeError } from "../../core/describe-error.ts";
import type { Message } from "../../core/message/message.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { judgeLedgerAhead, planLedgerFor } from "../../engine/condense/condense-by-ledger.ts";
import type { FromLedgerThread, ToLedgerThread } from "./ledger-messages.ts";

const logs = new Map<number, Message[]>();
/** Give up what was judged of a log, by its id. */
const judged = new Map<number, () => void>();

parentPort?.on("message", (received: ToLedgerThread) => {
  const { id } = received;
  switch (received.type) {
    case "messages":
      logs.set(id, [...(logs.get(id) ?? []), ...received.messages]);
      return;
    case "judge":
      judge(id);
      return;
    case "plan":
      parentPort?.postMessage(planned(received));
      logs.delete(id);
      return;
    case "forget":
      judged.get(id)?.();
      judged.delete(id);
      logs.delete(id);
  }
});

function judge(id: number): void {
  judged.get(id)?.();
  try {
    judged.set(id, judgeLedgerAhead(logs.get(id) ?? []));
  } catch {
    // Nobody waits for it: the plan will tell.
    judged.delete(id);
  }
}

function planned({ id, task, after }: Extract<ToLedgerThread, { type: "plan" }>): FromLedgerThread {
  try {
    const options = { ...task, countTokens: countContentTokens };
    const before = after === undefined ? [] : (logs.get(after.id) ?? []);
    if (before.length !== (after?.messages ?? 0))
      throw new Error("The log that was to be gone on from is not here any more.");
    const plan = planLedgerFor([...before, ...(logs.get(id) ?? [])], options);
    // What a model would have to read is not needed to apply it, and may be most of the log.
    return { type: "planned", id, plan: plan.type === "refused" ? plan : { ...plan, toSummarize: [] } };
  } catch (error) {
    return { type: "failed", id, error: describeError(error) };
  }
}
