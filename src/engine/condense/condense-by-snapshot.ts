import type { CondensationPlan } from "../../core/condense/condensation-plan.ts";
import { parseSnapshot } from "../../core/condense/snapshot/parse-snapshot.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import {
  SNAPSHOT_MAX_OUTPUT_TOKENS,
  SNAPSHOT_PROMPT,
  SNAPSHOT_REQUEST,
  SNAPSHOT_TEMPERATURE,
  SNAPSHOT_VERIFY_REQUEST,
} from "../../core/condense/snapshot/snapshot-prompt.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { type CondensationRun, finishCondensation, refuseCondensation } from "./condensation-run.ts";
import { type CondensingCall, type CondensingReply, type ReadReply, runRequests } from "./run-requests.ts";

type WrittenSnapshot = Extract<CondensingReply, { readonly type: "reply" }>;

/** Hides the older part of a conversation behind a state snapshot that a model writes. */
export async function condenseBySnapshot(run: CondensationRun): Promise<CondensationResult> {
  const { messages, taskId, countTokens, beginsWith, keepsDecisions, leastMessages } = run;
  const plan = planSnapshot(messages, { taskId, countTokens, beginsWith, keepsDecisions, leastMessages });
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const call: CondensingCall = {
    ...run,
    systemPrompt: run.prompt?.trim() || SNAPSHOT_PROMPT,
    request: SNAPSHOT_REQUEST,
    temperature: SNAPSHOT_TEMPERATURE,
    maxOutputTokens: SNAPSHOT_MAX_OUTPUT_TOKENS,
    read: readSnapshot,
  };
  const written = await runRequests(plan, call);
  if (written.type === "failed") return refuseCondensation(messages, written);
  const reply = run.verify === true ? await verified(plan, written, call) : written;
  // The reported output tokens include the model's scratchpad, which is no part of the snapshot.
  const snapshot = { ...reply, outputTokens: 0 };
  return finishCondensation(run, { plan, reply: snapshot, standIns: snapshotMessages(plan, reply.text) });
}

/** The snapshot after a second request for what it left out; unchanged where that request fails or exceeds the limit of calls. */
async function verified(
  plan: CondensationPlan,
  written: WrittenSnapshot,
  call: CondensingCall,
): Promise<WrittenSnapshot> {
  const maxModelCalls = call.maxModelCalls - written.modelCalls;
  if (maxModelCalls < 1) return written;
  const checked = await runRequests(
    { ...plan, earlierSummary: written.text },
    { ...call, request: SNAPSHOT_VERIFY_REQUEST, maxModelCalls },
  );
  const spent = {
    costUsd: written.costUsd + checked.costUsd,
    modelCalls: written.modelCalls + checked.modelCalls,
  };
  return { ...(checked.type === "failed" ? written : checked), ...spent };
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
