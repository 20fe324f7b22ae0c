import type { PolicyCheck } from "./modern-options.ts";
import type { Agent } from "./open-agent.ts";
import type { CallRun } from "./run-calls.ts";

/** What every call of an agent is held to, whoever makes it: the model, or a success criterion. */
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

/** Forms that keys and tokens are given in so that they can be recognised. */
const SECRET_FORMS: Readonly<Record<string, RegExp>> = {
  "a private key": /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  "an AWS access key": /\bAKIA[0-9A-Z]{16}\b/,
  "a GitHub token": /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
  "an API key": /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,200}\b/,
  "a Google API key": /\bAIza[0-9A-Za-z_-]{35}\b/,
  "a Slack token": /\bxox[abprs]-[0-9A-Za-z-]{10,200}\b/,
};

/** The check behind the default policy "no-secrets": no call carries a key out. */
const secretsCheck: PolicyCheck = {
  policyId: "no-secrets",
  check: ({ input }) => {
    const text = JSON.stringify(input) ?? "";
    const found = Object.entries(SECRET_FORMS).find(([, form]) => form.test(text));
    return found === undefined ? undefined : `The arguments hold ${found[0]}.`;
  },
};
