import type { Message } from "../../core/message/message.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ReplayOptions, ReplayResult } from "./replay.ts";
import { type DemoFact, hiddenFacts } from "./session/demo-facts.ts";

/** What one recall, asked with a hidden fact's own question, brought back. */
export type RecalledFact = Readonly<Awaited<ReturnType<typeof recallFact>>>;

async function recallFact(session: Session, { question, answer }: DemoFact) {
  const hits = await session.recall(question);
  const lines = hits.flatMap(({ text, messageId }) =>
    text.split("\n").map((line) => ({ line: line.trim(), messageId })),
  );
  const found = lines.find(({ line }) => line.includes(answer));
  /** Of all excerpts, as an agent reads them. */
  const tokens = hits.length === 0 ? 0 : countTextTokens(renderRecall(hits));
  const place = { excerpt: found?.line, messageId: found?.messageId };
  return { question, answer, isHiddenInView: true, isFound: found !== undefined, tokens, ...place };
}

/** Recalls what the session's view hides of the facts, each by its question as it stands; the first builds the index. */
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
  /** Of the facts that the first run hides. */
  readonly recalled: readonly RecalledFact[];
}

/** What the demo shows: one session, replayed once with each strategy. */
export type DemoReport = Readonly<ReturnType<typeof reportOn>>;

/** Puts the runs together; `hashAfter` is of a run that did not come back whole, should there be one. */
export function reportOn(runs: readonly ReplayResult[], options: DemoReportOptions) {
  const { session, facts, contextWindow, recalled } = options;
  const total = (amount: (run: ReplayResult) => number) => runs.reduce((sum, run) => sum + amount(run), 0);
  const hashBefore = runs[0]?.hashBefore ?? "";
  const turns = session.filter((message) => message.role === "assistant").length;
  return {
    session: { turns, messages: session.length, tokens: countMessagesTokens(session) },
    contextWindow,
    allowedTokens: allowedTokens(options),
    /** Who condenses: no real model is asked. */
    condensingModel: "scripted",
    /** How many facts of the session are looked for at the end of each run. */
    facts: facts.length,
    overflows: total((run) => run.overflows),
    invalidViews: total((run) => run.invalidViews),
    bytesLost: total((run) => run.bytesLost),
    hashBefore,
    hashAfter: runs.find((run) => run.hashAfter !== hashBefore)?.hashAfter ?? hashBefore,
    runs,
    /** The oldest fact that the first run hides; undefined where it hides none. */
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
