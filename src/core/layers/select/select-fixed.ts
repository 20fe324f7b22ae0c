import { type ContextItem, itemMaker } from "../context/context-item.ts";
import type { AgentRole, Failure, Policy, RuntimeLayer, SystemLayer } from "../layered-state.ts";
import {
  type CriterionResult,
  type OutputFormat,
  type SuccessCriterion,
  type TaskLayer,
  taskConstraints,
} from "../task-layer.ts";
import { CONTEXT_LIMITS } from "./limits.ts";

const policyItem = itemMaker<Policy>(({ id, category, priority, rule }) => ({
  tag: "policy",
  attributes: { id, category, priority },
  text: rule,
  priority: "critical",
}));

const failureItem = itemMaker<Failure>(({ toolName, isResolved, error }) => ({
  tag: "error",
  attributes: { tool: toolName, resolved: String(isResolved) },
  text: error,
  priority: "high",
}));

/** Part of the runtime layer, not of the task layer, which is always shown whole: reasons come from tools and may be long. */
const criterionCheckItem = itemMaker<CriterionResult>(({ description, status, reason = "" }) => ({
  tag: "criterion-check",
  attributes: { status },
  text: reason === "" ? description : `${description}: ${reason}`,
  priority: status === "unmet" ? "high" : "medium",
}));

/** The role, the hard policies by priority, and the limits. */
export function systemItems({ role, policies, constraints, audit }: SystemLayer): readonly ContextItem[] {
  const { maxExecutionTimeMs, maxToolCalls, maxFileBytes, maxCostUsd, forbiddenPaths, approvalRequired } = constraints;
  const { allowedDomains } = constraints;
  const hard = policies
    .filter(({ enforcement }) => enforcement === "hard")
    .toSorted((one, other) => other.priority - one.priority);
  const limits = {
    "execution-time-ms": maxExecutionTimeMs,
    "tool-calls": maxToolCalls,
    "file-bytes": maxFileBytes,
    "cost-usd": maxCostUsd,
  };
  return [
    ...roleItems(role),
    ...hard.map(policyItem),
    { tag: "limits", attributes: limits, text: "", priority: "critical" },
    ...critical("forbidden-paths", forbiddenPaths.join("\n")),
    ...(allowedDomains === undefined ? [] : critical("allowed-domains", allowedDomains.join("\n") || "none")),
    ...critical("approval-required", approvalRequired.join(", ")),
    ...(audit.isEnabled ? critical("audit", `Records are kept for ${audit.retentionDays} days.`) : []),
  ];
}

function roleItems(role: string | AgentRole): readonly ContextItem[] {
  if (typeof role === "string") return critical("role", role);
  const { name, description, capabilities, limitations } = role;
  return [
    { tag: "role", attributes: { name }, text: description, priority: "critical" },
    ...capabilities.flatMap((capability) => critical("capability", capability)),
    ...limitations.flatMap((limitation) => critical("limitation", limitation)),
  ];
}

/** All of the task. */
export function taskItems({
  goal,
  successCriteria,
  outputFormat,
  constraints,
  metadata,
}: TaskLayer): readonly ContextItem[] {
  return [
    ...critical("goal", goal),
    ...successCriteria.flatMap(criterionItems),
    ...outputItems(outputFormat),
    ...constraintItems(constraints),
    ...Object.entries(metadata).flatMap(([name, value]): readonly ContextItem[] =>
      value === undefined
        ? []
        : [{ tag: "metadata", attributes: { name }, text: metadataText(value), priority: "critical" }],
    ),
  ];
}

function metadataText(value: string | number | readonly string[]): string {
  return typeof value === "object" ? value.join(", ") : String(value);
}

function constraintItems(constraints: TaskLayer["constraints"]): readonly ContextItem[] {
  const { timeMs, budgetUsd, quality = "", rules = [] } = taskConstraints(constraints);
  const attributes = { "time-ms": timeMs, "budget-usd": budgetUsd };
  const hasLimit = timeMs !== undefined || budgetUsd !== undefined;
  return [
    ...rules.flatMap((rule) => critical("constraint", rule)),
    ...(hasLimit ? [{ tag: "task-limits", attributes, text: "", priority: "critical" as const }] : []),
    ...critical("quality", quality),
  ];
}

function outputItems(format: string | OutputFormat | undefined): readonly ContextItem[] {
  if (format === undefined || typeof format === "string") return critical("output-format", format ?? "");
  const { type, schema, examples = [] } = format;
  const example = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return [
    { tag: "output-format", attributes: { type }, text: "", priority: "critical" },
    ...critical("output-schema", schema === undefined ? "" : JSON.stringify(schema)),
    ...examples.flatMap((value) => critical("output-example", example(value))),
  ];
}

function criterionItems(criterion: string | SuccessCriterion): readonly ContextItem[] {
  if (typeof criterion === "string") return critical("success-criterion", criterion);
  const { description, measurable } = criterion;
  const attributes = { measurable: String(measurable) };
  return [{ tag: "success-criterion", attributes, text: description, priority: "critical" }];
}

/** The state of the work: phase, environment, permissions, results of the criteria, the last three errors, used resources. */
export function runtimeItems({
  phase,
  environment,
  permissions,
  failures,
  resources,
  criteria = [],
}: RuntimeLayer): readonly ContextItem[] {
  const { toolCalls, modelCalls, costUsd, elapsedMs } = resources;
  const latest = failures.toSorted((one, other) => one.at - other.at).slice(-CONTEXT_LIMITS.errors);
  const plain = (tag: string, text: string): ContextItem => ({ tag, attributes: {}, text, priority: "high" });
  const used = { "tool-calls": toolCalls, "model-calls": modelCalls, "cost-usd": costUsd, "elapsed-ms": elapsedMs };
  return [
    plain("phase", phase),
    plain("environment", environment),
    plain("permissions", permissions.join(", ") || "none"),
    ...criteria.map(criterionCheckItem),
    ...latest.map(failureItem),
    { tag: "used", attributes: used, text: "", priority: "medium" },
  ];
}

function critical(tag: string, text: string): readonly ContextItem[] {
  return text === "" ? [] : [{ tag, attributes: {}, text, priority: "critical" }];
}
