import type { LogBlock } from "../log-blocks.ts";
import type { AddValue } from "./line-values.ts";
import { LINE_WORTH } from "./line-worth.ts";

/** A plan of more lines is a document. */
const MAX_PLAN_LINES = 60;
const NEWEST_STEPS = 12;

/** The plan as it was stated last, and the newest changes of single steps. */
export function valuePlans(blocks: readonly LogBlock[], add: AddValue): void {
  const calls = blocks.filter(({ source }) => source === "call");
  const plan = calls.findLast(({ act }) => act?.kind === "plan");
  for (const line of plan?.lines.slice(0, MAX_PLAN_LINES) ?? []) add(line, LINE_WORTH.plan);
  for (const { lines } of calls.filter(({ act }) => act?.kind === "plan-step").slice(-NEWEST_STEPS)) {
    for (const line of lines) add(line, LINE_WORTH.planStep);
  }
}
