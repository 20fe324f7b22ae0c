import type { Message } from "../../core/message/message.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { LogComparison } from "./compare-logs.ts";
import type { RecalledFact } from "./recall-facts.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { DemoFact } from "./session/demo-facts.ts";

/** What the demo shows: one session, replayed once with each strategy. */
export interface DemoReport extends LogComparison {
  readonly session: { readonly turns: number; readonly messages: number; readonly tokens: number };
  readonly contextWindow: number;
  readonly allowedTokens: number;
  /** Who condenses: no real model is asked. */
  readonly condensingModel: "scripted";
  /** How many facts of the session are looked for at the end of each run. */
  readonly facts: number;
  /** Sums over all runs. */
  readonly overflows: number;
  readonly invalidViews: number;
  readonly runs: readonly ReplayResult[];
  /** The oldest fact that the first run hides, read back by its question; undefined where it hides none. */
  readonly recall: RecalledFact | undefined;
  /** How many facts the first run hides, and how many of them one recall each finds. */
  readonly hiddenFacts: { readonly total: number; readonly found: number };
}

export interface DemoReportOptions {
  readonly session: readonly Message[];
  readonly facts: readonly DemoFact[];
  readonly contextWindow: number;
  readonly maxTokens: number;
  /** Of the facts that the first run hides. */
  readonly recalled: readonly RecalledFact[];
}

/** Puts the runs together; `hashAfter` is of a run that did not come back whole, should there be one. */
export function reportOn(runs: readonly ReplayResult[], options: DemoReportOptions): DemoReport {
  const { session, facts, contextWindow, recalled } = options;
  const total = (amount: (run: ReplayResult) => number) => runs.reduce((sum, run) => sum + amount(run), 0);
  const hashBefore = runs[0]?.hashBefore ?? "";
  return {
    session: {
      turns: session.filter((message) => message.role === "assistant").length,
      messages: session.length,
      tokens: countMessagesTokens(session),
    },
    contextWindow,
    allowedTokens: allowedTokens(options),
    condensingModel: "scripted",
    facts: facts.length,
    overflows: total((run) => run.overflows),
    invalidViews: total((run) => run.invalidViews),
    bytesLost: total((run) => run.bytesLost),
    hashBefore,
    hashAfter: runs.find((run) => run.hashAfter !== hashBefore)?.hashAfter ?? hashBefore,
    runs,
    recall: recalled[0],
    hiddenFacts: { total: recalled.length, found: recalled.filter((fact) => fact.isFound).length },
  };
}

/** Nothing overflowed, nothing would have been refused, nothing was lost, and what was asked for was found. */
export function isFlawless(report: DemoReport): boolean {
  const { overflows, invalidViews, bytesLost, hashBefore, hashAfter, recall } = report;
  const isWhole = overflows === 0 && invalidViews === 0 && bytesLost === 0 && hashBefore === hashAfter;
  return isWhole && (recall === undefined || recall.isFound);
}
