import type { Message } from "../../core/message/message.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Session } from "../../engine/session/session.ts";
import type { DemoFact } from "./session/demo-facts.ts";

/** What one recall, asked with a fact's own question, brought back. */
export interface RecalledFact {
  readonly question: string;
  readonly answer: string;
  /** Whether no message of the view holds the answer. */
  readonly isHiddenInView: boolean;
  /** Whether an excerpt holds it. */
  readonly isFound: boolean;
  /** Of all excerpts, as an agent reads them. */
  readonly tokens: number;
  /** The line that holds the answer, and the message that it is from; undefined where it was not found. */
  readonly excerpt: string | undefined;
  readonly messageId: string | undefined;
}

/** The facts whose answers no message of the view holds, in the order in which they were said. */
export function hiddenFacts(facts: readonly DemoFact[], view: readonly Message[]): readonly DemoFact[] {
  const shown = JSON.stringify(view);
  return facts.filter(({ answer }) => !shown.includes(JSON.stringify(answer).slice(1, -1)));
}

/** What the excerpts of one recall tell about a fact. */
export function recalledFact(fact: DemoFact, hits: readonly RecallHit[], view: readonly Message[]): RecalledFact {
  const { question, answer } = fact;
  const [found] = hits.flatMap(({ text, messageId }) =>
    text.split("\n").flatMap((line) => (line.includes(answer) ? [{ excerpt: line.trim(), messageId }] : [])),
  );
  return {
    question,
    answer,
    isHiddenInView: hiddenFacts([fact], view).length > 0,
    isFound: found !== undefined,
    tokens: hits.length === 0 ? 0 : countTextTokens(renderRecall(hits)),
    excerpt: found?.excerpt,
    messageId: found?.messageId,
  };
}

/** What recalls brought back, and how long the first took. */
export interface Recalls {
  readonly recalled: readonly RecalledFact[];
  /** With the time in which the index was built. */
  readonly firstTookMs: number;
}

/** Recalls what the session's view hides of the facts, each by its question as it stands. */
export async function recallHiddenFacts(session: Session, facts: readonly DemoFact[]): Promise<Recalls> {
  const view = await session.view();
  const recalled: RecalledFact[] = [];
  const timesMs: number[] = [];
  for (const fact of hiddenFacts(facts, view)) {
    const startedMs = performance.now();
    const hits = await session.recall(fact.question);
    timesMs.push(performance.now() - startedMs);
    recalled.push(recalledFact(fact, hits, view));
  }
  return { recalled, firstTookMs: timesMs[0] ?? 0 };
}
