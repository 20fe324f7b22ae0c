import { homedir } from "node:os";
import { stringsIn } from "../../core/condense/gates/message-texts.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import type { ArgumentCheck } from "../tools/check-arguments.ts";
import type { AuditLog } from "./audit-log.ts";
import { findForbiddenPath } from "./forbidden-paths.ts";
import type { ApprovalRequest, PolicyCheck } from "./modern-options.ts";

export interface CallGuard {
  readonly state: LayeredState;
  /** Those that exist, also where they are not shown now. */
  readonly tools: readonly ToolDefinition[];
  readonly checkArguments: ArgumentCheck;
  readonly policyChecks: readonly PolicyCheck[];
  readonly approve: (request: ApprovalRequest) => boolean | Promise<boolean>;
  readonly audit: AuditLog;
  readonly now: () => number;
}

/** Why a call may not be executed, told so that the model can do better; undefined where it may. */
export async function guardCall(call: ToolUseChunk, guard: CallGuard): Promise<string | undefined> {
  return (
    brokenArguments(call) ??
    wrongArguments(call, guard) ??
    outOfBounds(call, guard) ??
    brokenPolicy(call, guard) ??
    (await unapproved(call, guard))
  );
}

function brokenArguments({ brokenInput }: ToolUseChunk): string | undefined {
  if (brokenInput === undefined) return undefined;
  return `The arguments are no JSON: ${brokenInput.slice(0, 200)}. Send them again as one JSON object.`;
}

function wrongArguments({ name, input }: ToolUseChunk, { checkArguments }: CallGuard): string | undefined {
  const verdict = checkArguments(name, input);
  return verdict.isValid ? undefined : verdict.errors.join(" ");
}

function outOfBounds({ input }: ToolUseChunk, { state }: CallGuard): string | undefined {
  const { forbiddenPaths, maxFileBytes } = state.l0_system.constraints;
  const texts = [...stringsIn(input)];
  const path = findForbiddenPath(texts, { forbiddenPaths, homeFolder: homedir() });
  if (path !== undefined) return `${path} is forbidden: this agent may not touch it.`;
  const isTooLarge = texts.some((text) => text.length > maxFileBytes || Buffer.byteLength(text) > maxFileBytes);
  return isTooLarge ? `An argument is larger than ${maxFileBytes} bytes. Write it in smaller parts.` : undefined;
}

function brokenPolicy(call: ToolUseChunk, { state, policyChecks, audit, now }: CallGuard): string | undefined {
  const policies = new Map(state.l0_system.policies.map((policy) => [policy.id, policy]));
  for (const { policyId, check } of policyChecks) {
    const policy = policies.get(policyId);
    // A policy that the state does not hold binds nobody.
    if (policy === undefined) continue;
    const reason = check(call, state);
    if (reason === undefined) continue;
    if (policy.enforcement === "hard") return `${reason} That breaks the policy ${policyId}: ${policy.rule}`;
    audit.add({ type: "warning", at: now(), policyId, reason });
  }
  return undefined;
}

async function unapproved(
  call: ToolUseChunk,
  { state, tools, approve, audit, now }: CallGuard,
): Promise<string | undefined> {
  const { approvalRequired } = state.l0_system.constraints;
  const used = tools.find(({ name }) => name === call.name)?.permissions ?? [];
  const permissions = used.filter((permission) => approvalRequired.includes(permission));
  if (permissions.length === 0) return undefined;
  const { id, name, input } = call;
  const isApproved = (await approve({ call: { id, name, input }, permissions })) === true;
  audit.add({ type: "approval", at: now(), callId: id, toolName: name, isApproved });
  return isApproved ? undefined : `It needs approval (${permissions.join(", ")}), and that was not given.`;
}
