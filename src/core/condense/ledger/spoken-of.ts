import type { LogBlock } from "./log-blocks.ts";

/** Further back, the agent speaks of what is done. */
const LAST_TEXTS = 6;

/** The names that stand for the work at hand: in what the agent said last, in the plan, and in the newest request. */
export function spokenOf(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const texts = blocks.filter(({ source }) => source === "assistant").slice(-LAST_TEXTS);
  const plan = blocks.findLast(({ source, act }) => source === "call" && act?.kind === "plan");
  const request = blocks.findLast(({ source }) => source === "user");
  const named = new Set<string>();
  for (const block of [...texts, plan, request]) {
    for (const { identifiers } of block?.lines ?? []) for (const identifier of identifiers) named.add(identifier);
  }
  return named;
}
