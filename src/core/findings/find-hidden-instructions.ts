import { collectStandIns, isHidden, liveTags } from "../message/effective-view.ts";
import { count } from "../requests/describe-decision.ts";
import { findStanding } from "../standing/find-standing.ts";
import type { StandingKind } from "../standing/standing-part.ts";
import { describeMessage } from "../strata/describe-message.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import { carryingUsd, type Finding, type FindingSource } from "./finding.ts";

const NAMES: Readonly<Record<StandingKind, string>> = {
  request: "The newest request",
  task: "The task",
  rule: "A rule",
  answer: "An answer of the person",
  mode: "A mode",
  system: "A message of the system",
  instructions: "The project's instructions",
  declaration: "A declaration of tools",
  skill: "A skill",
  command: "A command",
  plan: "The plan",
  reminder: "A reminder",
};

/** Finds standing context that the agent no longer sees. */
export function findHiddenInstructions({ log, entry, requests }: FindingSource): readonly Finding[] {
  const standIns = collectStandIns(log);
  const last = requests.at(-1);
  return [...findStanding(log)].flatMap(([index, parts]): readonly Finding[] => {
    const message = log[index];
    const [part] = parts;
    if (message === undefined || part === undefined || !isHidden(message, standIns)) return [];
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    const tokens = Math.round(countMessageTokens(message) * (last?.tokenRatio ?? 1));
    const { id } = message;
    return [
      {
        kind: "hidden-instruction",
        title: `${NAMES[part.kind]} is no longer visible to the agent`,
        detail: `A fold hides it: “${describeMessage(message).label}” To show it again takes ${count(tokens)} tokens.`,
        tokens,
        usd: carryingUsd(entry, tokens, last?.promptTokens ?? tokens),
        per: "request",
        messageIds: id === undefined ? [] : [id],
        foldIds: [condenseParent ?? truncationParent ?? []].flat(),
        names: [],
        remedy:
          id === undefined
            ? { type: "none", reason: "The message has no id; the fold that hides it can be restored as a whole." }
            : { type: "restore", from: id, to: id },
      },
    ];
  });
}
