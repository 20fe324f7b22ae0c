/** Runs in a worker thread: plans the ledgers of large logs, as reading every line of them takes seconds. */
import { parentPort } from "node:worker_threads";
import { describeError } from "../../core/describe-error.ts";
import type { Message } from "../../core/message/message.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { judgeLedgerAhead, planLedgerFor } from "../../engine/condense/condense-by-ledger.ts";
import type { FromLedgerThread, ToLedgerThread } from "./ledger-messages.ts";

const logs = new Map<number, Message[]>();
/** By the id of a judged log, the function that drops its judgements. */
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
    // Nobody waits for this result, and the plan would fail with the same error.
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
    // Applying the plan does not need the messages to summarize, which may be most of the log.
    return { type: "planned", id, plan: plan.type === "refused" ? plan : { ...plan, toSummarize: [] } };
  } catch (error) {
    return { type: "failed", id, error: describeError(error) };
  }
}
