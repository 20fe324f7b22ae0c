import type { Message } from "../../core/message/message.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ReplayOptions, ReplayResult } from "./replay.ts";
import { type DemoFact, hiddenFacts } from "./session/demo-facts.ts";

/** The result of a recall that was asked a hidden fact's question. */
export type RecalledFact = Readonly<Awaited<ReturnType<typeof recallFact>>>;

async function recallFact(session: Session, { question, answer }: DemoFact) {
  const hits = await session.recall(question);
  const lines = hits.flatMap(({ text, messageId }) =>
    text.split("\n").map((line) => ({ line: line.trim(), messageId })),
  );
  const found = lines.find(({ line }) => line.includes(answer));
  // The tokens of all excerpts as an agent would read them.
  const tokens = hits.length === 0 ? 0 : countTextTokens(renderRecall(hits));
  const place = { excerpt: found?.line, messageId: found?.messageId };
  return { question, answer, isHiddenInView: true, isFound: found !== undefined, tokens, ...place };
}

/** Recalls each fact that the session's view hides, by its question. The time is that of the first recall, which builds the index. */
export async function recallHiddenFacts(session: Session, facts: readonly DemoFact[]) {
  const recalled: RecalledFact[] = [];
  const hidden = hiddenFacts(facts, await session.view());
  const startedMs = performance.now();
  let firstTookMs = 0;
  for (const fact of hidden) {
    recalled.push(await recallFact(session, fact));
    firstTookMs ||= performance.now() - startedMs;
  }
  return { recalled, firstTookMs };
}

export interface DemoReportOptions extends Required<Omit<ReplayOptions, "strategy" | "store">> {
  readonly session: readonly Message[];
  /** The recalls of the facts that the first run hides. */
  readonly recalled: readonly RecalledFact[];
}

/** The results of the demo: one session, replayed once with each strategy. */
export type DemoReport = Readonly<ReturnType<typeof reportOn>>;

/** Combines the results of all runs. `hashAfter` is that of a run that was not restored whole, if there is one. */
export function reportOn(runs: readonly ReplayResult[], options: DemoReportOptions) {
  const { session, facts, contextWindow, recalled } = options;
  const total = (amount: (run: ReplayResult) => number) => runs.reduce((sum, run) => sum + amount(run), 0);
  const hashBefore = runs[0]?.hashBefore ?? "";
  const turns = session.filter((message) => message.role === "assistant").length;
  return {
    session: { turns, messages: session.length, tokens: countMessagesTokens(session) },
    contextWindow,
    allowedTokens: allowedTokens(options),
    /** The model that condenses: no real one is asked. */
    condensingModel: "scripted",
    /** The number of facts that are looked for at the end of each run. */
    facts: facts.length,
    overflows: total((run) => run.overflows),
    invalidViews: total((run) => run.invalidViews),
    bytesLost: total((run) => run.bytesLost),
    hashBefore,
    hashAfter: runs.find((run) => run.hashAfter !== hashBefore)?.hashAfter ?? hashBefore,
    runs,
    /** The recall of the oldest fact that the first run hides; undefined if it hides none. */
    recall: recalled[0],
    hiddenFacts: { total: recalled.length, found: recalled.filter((fact) => fact.isFound).length },
  };
}

/** Whether no view overflowed or was invalid, no byte was lost, and the recalled fact was found. */
export function isFlawless(report: DemoReport): boolean {
  const { overflows, invalidViews, bytesLost, hashBefore, hashAfter, recall } = report;
  const isWhole = overflows === 0 && invalidViews === 0 && bytesLost === 0 && hashBefore === hashAfter;
  return isWhole && (recall === undefined || recall.isFound);
}
