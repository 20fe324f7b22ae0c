/** Lives planned conversations through, turn by turn, and holds every view against what binds. */
import { effectiveView, isStandIn } from "../../src/core/message/effective-view.ts";
import type { Block, Message } from "../../src/core/message/message.ts";
import type { CondensationPlugin } from "../../src/core/ports/condensation.ts";
import { allowedTokens } from "../../src/core/tokens/budget.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { modelCondenser } from "../../src/engine/condense/model-condenser.ts";
import { createBareEngine, createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, EngineOptions } from "../../src/engine/engine.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { GOOD_SNAPSHOT, GOOD_SUMMARY, handler, replies } from "../support/handlers.ts";
import { assistant, call, deepFreeze, result, tag, text, user } from "../support/messages.ts";
import { denseText } from "./long-conversations.ts";
import { isPrefix, logBreaches } from "./promises.ts";
import type { StandingPlan } from "./standing-plans.ts";
import { buildTalk, type Spoken } from "./standing-talks.ts";
import { createStandingWatch, type StandingTally } from "./standing-watch.ts";

/** Hides whatever it can, as somebody's first strategy might. */
const hidesEverything: CondensationPlugin = {
  name: "hides everything",
  priority: 1,
  usesModel: false,
  shouldActivate: () => true,
  condense: async (messages, { taskId }) => {
    const condenseId = `hides-${taskId}-${messages.length}`;
    const visible = new Set(effectiveView(messages));
    const last = messages.findLastIndex(({ role, content }) => role === "user" && !holdsResults(content));
    const isGone = (message: Message, index: number) => visible.has(message) && index !== last && index < last;
    const tagged = messages.map((message, index) =>
      isGone(message, index) ? { ...message, condenseParent: condenseId } : message,
    );
    const summary = tag(assistant(GOOD_SUMMARY), { id: condenseId, isSummary: true, condenseId });
    const place = messages.findLastIndex(isGone) + 1;
    if (place === 0) return { messages, summary: "", cost: 0, error: "There is nothing to hide." };
    return { messages: tagged.toSpliced(place, 0, summary), summary: GOOD_SUMMARY, cost: 0, condenseId };
  },
};

function holdsResults(content: Message["content"]): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool_result");
}

/** Engines with one strategy each. */
export const STRATEGIES: Readonly<Record<string, (options: EngineOptions) => Engine>> = {
  ledger: createEngine,
  summary: (options) => createBareEngine({ ...options, condenser: scripted("summary", GOOD_SUMMARY) }),
  hybrid: (options) => createBareEngine({ ...options, condenser: scripted("hybrid", GOOD_SUMMARY) }),
  snapshot: (options) => createBareEngine({ ...options, condenser: scripted("snapshot", GOOD_SNAPSHOT) }),
  truncation: (options) => createEngine({ ...options, configuration: { strategies: { primary: "truncation" } } }),
  "a strategy that hides everything": (options) => createBareEngine({ ...options, condenser: hidesEverything }),
};

function scripted(strategy: "summary" | "hybrid" | "snapshot", reply: string): CondensationPlugin {
  return modelCondenser(handler(replies(reply), { contextWindow: 200_000 }), { strategy });
}

/** The breaches of one conversation, with the step at which they were found. */
export async function runStanding(
  plan: StandingPlan,
  open: (options: EngineOptions) => Engine,
  tally: StandingTally,
): Promise<readonly string[]> {
  const { contextWindow, maxTokens, overheadShare } = plan;
  const systemPrompt = overheadShare * contextWindow < 10 ? "" : denseText(overheadShare * contextWindow);
  const overheadTokens = countTextTokens(systemPrompt);
  const roomTokens = allowedTokens({ contextWindow, maxTokens, overheadTokens }) - overheadTokens;
  const engine = open({ model: "scripted", contextWindow, maxTokens, now: () => 0 });
  const session = await engine.session("task", { systemPrompt });
  const steps = buildTalk(plan, { roomTokens, has: { system: true, references: true } });
  const watch = createStandingWatch({ roomTokens, spreadsResults: false }, tally);
  const original: Message[] = [];
  let before: readonly Message[] | undefined;
  for (const [index, step] of steps.entries()) {
    const added = deepFreeze(step.spoken.flatMap((spoken) => messagesOf(spoken)).map(numbered(original.length)));
    original.push(...added);
    await session.append(...added);
    const { messages, report } = await session.prepare();
    const log = await session.log();
    const isStill = report.foldIds.length > 0 || before === undefined || isPrefix(before, messages);
    const seen = { text: JSON.stringify(messages), recalled: () => recalled(session, JSON.stringify(messages)) };
    const isFolded = log.some((message) => isStandIn(message) || message.folds !== undefined);
    const breaches = [
      ...(await watch.check(step, seen, isFolded)),
      ...logBreaches(log, original),
      ...(isStill ? [] : ["still: nothing was folded, but the view before is no prefix of this one"]),
    ];
    if (breaches.length > 0) return [...breaches.slice(0, 4), `(at step ${index} of ${steps.length})`];
    before = messages;
  }
  return [];
}

/** All that the folds hide that a view names. */
export async function recalled(session: Session, view: string): Promise<string> {
  const named = (await session.folds()).filter(({ foldId }) => view.includes(foldId));
  const expanded = await Promise.all(named.map(({ foldId }) => session.expand(foldId, { budgetTokens: 10_000_000 })));
  return JSON.stringify(expanded);
}

function numbered(first: number): (message: Message, index: number) => Message {
  return (message, index) => ({ id: `m${first + index}`, ts: 1_000 + first + index, ...message });
}

function messagesOf(spoken: Spoken): readonly Message[] {
  switch (spoken.type) {
    case "asks":
      return [user(...spoken.texts, ...systemBlocks(spoken.system))];
    case "replies":
      return [assistant(spoken.text)];
    case "works": {
      const results = spoken.calls.map(({ id, output, isList = false, isError }): Block => {
        if (typeof output !== "string")
          return { ...result(id), content: [{ type: "tool_reference", tool_name: output.toolName }] };
        const returned = isList ? { ...result(id), content: [text("1 file"), text(output)] } : result(id, output);
        return isError === true ? { ...returned, is_error: true } : returned;
      });
      const said = spoken.said === undefined ? [] : [text(spoken.said)];
      return [
        assistant(...spoken.calls.map(({ id, name, input }) => call(id, name, input))),
        user(...results, ...said, ...systemBlocks(spoken.system)),
      ];
    }
  }
}

function systemBlocks(words: string | undefined): readonly Block[] {
  return words === undefined ? [] : [Object.assign(text(words), { role: "system" })];
}
