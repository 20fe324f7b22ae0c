import type { ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import type { Assessment } from "./assess.ts";
import { limitWarnings } from "./cannot-fit.ts";
import type { Progress } from "./fold-once.ts";
import type { LiveSession } from "./live-session.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { Prepared } from "./report.ts";

/** What one prepare found and did: `first` is the session before it, `last` after it. */
interface Findings {
  readonly first: Assessment;
  readonly last: Assessment;
  readonly progress: Progress;
  readonly limits: ViewLimits & Pick<PrepareOptions, "repair">;
}

/** The view that prepare returns, and the report on it. */
export function preparedFrom(session: LiveSession, { first, last, progress, limits }: Findings): Prepared {
  const { context, decision, view, repairedView } = last;
  const { foldIds, cost, condensed, warnings = [] } = progress;
  return {
    messages: [...(limits.repair === false ? view : repairedView)],
    report: {
      promptTokens: context.prevContextTokens,
      prevContextTokens: first.context.prevContextTokens,
      contextWindow: context.contextWindow,
      allowedTokens: decision.allowedTokens,
      foldsAtTokens: Math.min(decision.allowedTokens, decision.triggerTokens),
      usedPercent: context.usedPercent,
      prevUsedPercent: first.context.usedPercent,
      foldIds,
      cost,
      ...(condensed?.error === undefined ? {} : { error: condensed.error }),
      warnings: [
        ...(decision.warning === undefined ? [] : [decision.warning]),
        ...(condensed?.modelError === undefined ? [] : [`Condensed without a model. ${condensed.modelError}`]),
        ...warnings,
        ...limitWarnings(view, limits),
        ...guessedWindow(session),
        ...session.meter().warnings(),
        ...unusedPrompts(session),
      ],
    },
  };
}

function guessedWindow(session: LiveSession): readonly string[] {
  const { id, contextWindow, isWindowGuessed } = session.model();
  if (!isWindowGuessed) return [];
  const remedy = "Pass contextWindow, or a registry that has the model.";
  return [`The window of ${JSON.stringify(id)} is not known: ${contextWindow} tokens are a guess. ${remedy}`];
}

/** Warnings about custom prompts for strategies that no condenser has: their names are probably mistyped. */
function unusedPrompts(session: LiveSession): readonly string[] {
  const { configuration, plugins } = session.ports;
  const names = plugins.list().map((condenser) => condenser.name);
  return Object.keys(configuration.strategies.customPrompts)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const existing = names.length === 0 ? "there is none" : `there is ${names.join(", ")}`;
      return `strategies.customPrompts names ${JSON.stringify(name)}, but no strategy is called that; ${existing}.`;
    });
}
