import { homedir } from "node:os";
import { describeError } from "../../core/describe-error.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import { findForeignUrl } from "../../core/text/allowed-domains.ts";
import { addressKind, guardedKind } from "../../core/tools/narrowing/guarded-kind.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import { withTimeLimit } from "../time-limit.ts";
import type { ArgumentCheck } from "../tools/check-arguments.ts";
import type { AuditLog } from "./audit-log.ts";
import { type ArgumentKind, findForbiddenPath } from "./forbidden-paths.ts";
import type { ApprovalRequest, PolicyCheck } from "./modern-options.ts";
import { orAborted } from "./or-aborted.ts";

export interface CallGuard {
  readonly state: LayeredState;
  /** All tools, also those that the model is not shown now. */
  readonly tools: readonly ToolDefinition[];
  readonly checkArguments: ArgumentCheck;
  readonly policyChecks: readonly PolicyCheck[];
  readonly approve: (request: ApprovalRequest) => boolean | Promise<boolean>;
  readonly approvalTimeoutMs: number;
  readonly audit: AuditLog;
  readonly now: () => number;
  readonly signal: AbortSignal | undefined;
  /** Whether the tool is one of the engine's own, which change nothing but the agent's memory. */
  isOwn(name: string): boolean;
}

const MAX_URL_CHARACTERS = 200;

/** Why a call must not be executed, as a text from which the model can correct it; undefined where it may be. */
export async function guardCall(call: ToolUseChunk, guard: CallGuard): Promise<string | undefined> {
  return (
    brokenArguments(call) ??
    wrongArguments(call, guard) ??
    tooLarge(call, guard) ??
    (guard.isOwn(call.name) ? undefined : outOfBounds(call, guard)) ??
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

function tooLarge({ input }: ToolUseChunk, { state }: CallGuard): string | undefined {
  const { maxFileBytes } = state.l0_system.constraints;
  const isTooLarge = namedTexts(input).some(
    ({ text }) => text.length > maxFileBytes || Buffer.byteLength(text) > maxFileBytes,
  );
  return isTooLarge ? `An argument is larger than ${maxFileBytes} bytes. Write it in smaller parts.` : undefined;
}

function outOfBounds({ name, input }: ToolUseChunk, { state, tools }: CallGuard): string | undefined {
  const { forbiddenPaths, allowedDomains } = state.l0_system.constraints;
  const guard = { forbiddenPaths, homeFolder: homedir(), workingFolder: process.cwd() };
  const tool = tools.find((each) => each.name === name);
  for (const { parameter, text } of namedTexts(input)) {
    const kind = argumentKind(tool, parameter);
    const path = findForbiddenPath(text, kind, guard);
    if (path !== undefined) return `${path} is forbidden: this agent may not touch it.`;
    const scope = addressKind(parameter) ?? (kind === "command" ? "anywhere" : "beginning");
    const url = allowedDomains && findForeignUrl(text, allowedDomains, scope);
    if (url !== undefined) return refuseUrl(url, allowedDomains ?? []);
  }
  return undefined;
}

function refuseUrl(url: string, allowedDomains: readonly string[]): string {
  const allowed = allowedDomains.length === 0 ? "It may use no URL." : `It may use: ${allowedDomains.join(", ")}.`;
  return `${url.slice(0, MAX_URL_CHARACTERS)} is not in an allowed domain of this agent. ${allowed}`;
}

/** The kind of a tool's parameter. Any string for a tool that executes may be a command; a text to be written to a file may mention any path. */
function argumentKind(tool: ToolDefinition | undefined, parameter: string): ArgumentKind {
  if (tool === undefined) return "command";
  const kind = guardedKind(tool, parameter);
  if (kind !== undefined) return kind;
  const isFree = tool.guardedParameters?.[parameter] === "free";
  return tool.permissions.includes("execute") && !isFree ? "command" : "text";
}

function brokenPolicy(call: ToolUseChunk, { state, policyChecks, audit, now }: CallGuard): string | undefined {
  const policies = new Map(state.l0_system.policies.map((policy) => [policy.id, policy]));
  for (const policyCheck of policyChecks) {
    const { policyId } = policyCheck;
    const policy = policies.get(policyId);
    // A check whose policy is not in the state is skipped.
    if (policy === undefined) continue;
    const reason = breachOf(policyCheck, call, state);
    if (reason === undefined) continue;
    if (policy.enforcement === "hard") return `${reason} That breaks the policy ${policyId}: ${policy.rule}`;
    audit.add({ type: "warning", at: now(), policyId, reason });
  }
  return undefined;
}

/** Why a call breaks a policy; undefined where it does not. A check that throws counts as a breach. */
function breachOf(policyCheck: PolicyCheck, { id, name, input }: ToolUseChunk, state: LayeredState) {
  try {
    return policyCheck.check({ id, name, input }, state);
  } catch (error) {
    return `It could not be checked (${describeError(error)}).`;
  }
}

async function unapproved(call: ToolUseChunk, guard: CallGuard): Promise<string | undefined> {
  const { state, tools, audit, now } = guard;
  const { approvalRequired } = state.l0_system.constraints;
  const used = tools.find(({ name }) => name === call.name)?.permissions ?? [];
  const permissions = used.filter((permission) => approvalRequired.includes(permission));
  if (permissions.length === 0) return undefined;
  const { id, name, input } = call;
  const { isApproved, reason } = await askApproval({ call: { id, name, input }, permissions }, guard);
  audit.add({ type: "approval", at: now(), callId: id, toolName: name, isApproved });
  return isApproved ? undefined : `It needs approval (${permissions.join(", ")}), and that was not given${reason}.`;
}

/** Asks for approval. Only `true` approves; an error or a timeout does not. Rejects where the task is aborted meanwhile. */
async function askApproval(request: ApprovalRequest, { approve, approvalTimeoutMs, signal }: CallGuard) {
  try {
    const answer: unknown = await orAborted(withTimeLimit(approve(request), approvalTimeoutMs), signal);
    return { isApproved: answer === true, reason: "" };
  } catch (error) {
    signal?.throwIfAborted();
    return { isApproved: false, reason: ` (${describeError(error)})` };
  }
}

/** A text inside the arguments of a call. */
interface NamedText {
  /** The nearest name above it in the arguments; empty where there is none. */
  readonly parameter: string;
  readonly text: string;
}

/** All texts in a call's arguments, in order; those in a list have the list's name. Arguments come from JSON, so there are no circles. */
function namedTexts(input: unknown): readonly NamedText[] {
  const texts: NamedText[] = [];
  const waiting: { readonly parameter: string; readonly value: unknown }[] = [{ parameter: "", value: input }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { parameter, value } = next;
    if (typeof value === "string") texts.push({ parameter, text: value });
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    const inner = Object.entries(value).map(([name, item]) => ({ parameter: isList ? parameter : name, value: item }));
    // Reversed, as the last one is taken first.
    waiting.push(...inner.toReversed());
  }
  return texts;
}
