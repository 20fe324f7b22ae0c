import type { PolicyCheck } from "./modern-options.ts";
import type { Agent } from "./open-agent.ts";
import type { CallRun } from "./run-calls.ts";

/** The guards of every call of an agent, whether the model or a success criterion makes it. */
export function guardedRun(agent: Agent): Omit<CallRun, "own" | "checkArguments" | "signal" | "callsLeft"> {
  const { options, limits } = agent;
  return {
    state: agent.state(),
    tools: agent.tools,
    policyChecks: [secretsCheck, ...(options.policyChecks ?? [])],
    approve: options.approve ?? (() => false),
    approvalTimeoutMs: limits.approvalTimeoutMs,
    ...{ audit: agent.audit, now: agent.now, executor: options.executor },
    toolTimeoutMs: limits.toolTimeoutMs,
  };
}

/** Patterns of keys and tokens. */
const SECRET_FORMS: Readonly<Record<string, RegExp>> = {
  "a private key": /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  "an AWS access key": /\bAKIA[0-9A-Z]{16}\b/,
  "a GitHub token": /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
  "an API key": /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,200}\b/,
  "a Google API key": /\bAIza[0-9A-Za-z_-]{35}\b/,
  "a Slack token": /\bxox[abprs]-[0-9A-Za-z-]{10,200}\b/,
};

/** The check of the default policy "no-secrets": no argument may hold a key. */
const secretsCheck: PolicyCheck = {
  policyId: "no-secrets",
  check: ({ input }) => {
    const text = JSON.stringify(input) ?? "";
    const found = Object.entries(SECRET_FORMS).find(([, form]) => form.test(text));
    return found === undefined ? undefined : `The arguments hold ${found[0]}.`;
  },
};
