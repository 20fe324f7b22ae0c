import { parse } from "yaml";

export interface WorkflowStep {
  readonly run: string;
  readonly uses: string;
  readonly with: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, unknown>>;
  /** Whether the job goes on without it: `if`, `continue-on-error`. */
  readonly isOptional: boolean;
}

export interface WorkflowJob {
  readonly name: string;
  readonly runsOn: string;
  readonly isOptional: boolean;
  /** Variables that the job and its workflow set for every step. */
  readonly environment: Readonly<Record<string, unknown>>;
  readonly matrix: Readonly<Record<string, unknown>>;
  readonly steps: readonly WorkflowStep[];
  /** All that it says, to look for expressions in. */
  readonly source: string;
}

/** The jobs of a workflow that GitHub's parser takes. */
export function readJobs(text: string): readonly WorkflowJob[] {
  const workflow = asRecord(parse(text));
  return Object.entries(asRecord(workflow.jobs)).map(([name, value]) => {
    const job = asRecord(value);
    return {
      name,
      runsOn: asText(job["runs-on"]),
      isOptional: isOptional(job),
      environment: { ...asRecord(workflow.env), ...asRecord(job.env) },
      matrix: asRecord(asRecord(job.strategy).matrix),
      steps: asList(job.steps).map(readStep),
      source: JSON.stringify(job),
    };
  });
}

function readStep(value: unknown): WorkflowStep {
  const step = asRecord(value);
  return {
    run: asText(step.run),
    uses: asText(step.uses),
    with: asRecord(step.with),
    environment: asRecord(step.env),
    isOptional: isOptional(step),
  };
}

function isOptional(value: Readonly<Record<string, unknown>>): boolean {
  return "if" in value || "continue-on-error" in value;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
