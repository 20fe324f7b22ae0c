import { compact, getEffectiveApiHistory, type Message } from "palimpsest";
import { countMessagesTokens } from "palimpsest/core";

/** A way to bring a conversation under a budget; `log` keeps what is hidden, where the strategy does. */
export interface ViewStrategy {
  readonly name: string;
  compact(log: readonly Message[], budgetTokens: number): readonly Message[];
}

/** Ours, and what is done where nobody thinks about it. */
export const VIEW_STRATEGIES: readonly ViewStrategy[] = [
  { name: "ledger", compact: (log, budgetTokens) => compact(log, budgetTokens).messages },
  { name: "keep last", compact: keepLast },
  {
    name: "newest of the user",
    compact: (log, budgetTokens) =>
      keepLast(
        log.filter(({ role }) => role === "user"),
        budgetTokens,
      ),
  },
];

function keepLast(log: readonly Message[], budgetTokens: number): readonly Message[] {
  let left = budgetTokens;
  const start = log.findLastIndex((message) => {
    left -= countMessagesTokens([message]);
    return left < 0;
  });
  return log.slice(start + 1);
}

/** What a model would read, as one text with single spaces. */
export function viewText(log: readonly Message[]): string {
  return getEffectiveApiHistory(log).map(textOf).join("\n");
}

export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : [])).join("\n");
}
