import { parseSnapshot } from "../../core/condense/snapshot/parse-snapshot.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import {
  SNAPSHOT_MAX_OUTPUT_TOKENS,
  SNAPSHOT_PROMPT,
  SNAPSHOT_REQUEST,
  SNAPSHOT_TEMPERATURE,
} from "../../core/condense/snapshot/snapshot-prompt.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { type CondensationRun, finishCondensation, refuseCondensation } from "./condensation-run.ts";
import { type ReadReply, runRequests } from "./run-requests.ts";

/** Hides the older part of a conversation behind a state snapshot that a model writes. */
export async function condenseBySnapshot(run: CondensationRun): Promise<CondensationResult> {
  const { messages, taskId, countTokens, keepsStanding, leastMessages } = run;
  const plan = planSnapshot(messages, { taskId, countTokens, keepsStanding, leastMessages });
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const reply = await runRequests(plan, {
    ...run,
    systemPrompt: run.prompt?.trim() || SNAPSHOT_PROMPT,
    request: SNAPSHOT_REQUEST,
    temperature: SNAPSHOT_TEMPERATURE,
    maxOutputTokens: SNAPSHOT_MAX_OUTPUT_TOKENS,
    read: readSnapshot,
  });
  if (reply.type === "failed") return refuseCondensation(messages, reply);
  // What the model wrote into its scratchpad was output too, but is no part of the snapshot.
  const snapshot = { ...reply, outputTokens: 0 };
  return finishCondensation(run, { plan, reply: snapshot, standIns: snapshotMessages(plan, reply.text) });
}

function readSnapshot(reply: string): ReadReply {
  const parsed = parseSnapshot(reply);
  switch (parsed.type) {
    case "snapshot":
      return { type: "summary", text: parsed.text };
    case "malformed":
      return { type: "unreadable", reason: parsed.reason };
  }
}
