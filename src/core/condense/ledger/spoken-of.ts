import type { LogBlock } from "./log-blocks.ts";

/** Further back, the agent speaks of what is done. */
const LAST_TEXTS = 6;

/** The names that stand for the work at hand. */
export interface SpokenOf {
  /** In what the agent said last, in the plan and in the newest request. */
  readonly named: ReadonlySet<string>;
  /** In what the person asked, first and last. */
  readonly asked: ReadonlySet<string>;
}

export function spokenOf(blocks: readonly LogBlock[]): SpokenOf {
  const texts = blocks.filter(({ source }) => source === "assistant").slice(-LAST_TEXTS);
  const plan = blocks.findLast(({ source, act }) => source === "call" && act?.kind === "plan");
  const first = blocks.find(({ source }) => source === "user");
  const request = blocks.findLast(({ source }) => source === "user");
  return {
    named: namesIn([...texts, plan, request]),
    asked: namesIn([first, request]),
  };
}

function namesIn(blocks: readonly (LogBlock | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const block of blocks) {
    for (const { identifiers } of block?.lines ?? []) for (const identifier of identifiers) names.add(identifier);
  }
  return names;
}
