// What others do, as exactly as it can be said without a model.
import type { Block, Message } from "palimpsest";
import { tokensOf, tokensOfAll } from "./counted.ts";
import { type Policy, promptTokensOf, type Setting } from "./policy.ts";

/** Nothing is ever folded; prompts may exceed the window. */
export const NO_FOLDING: Policy = {
  name: "no folding",
  start: () => {
    const log: Message[] = [];
    return {
      view: ({ newMessages }) => {
        log.push(...newMessages);
        return { messages: [...log] };
      },
    };
  },
};

const SUMMARY_TOKENS = 2_000;
const KEPT_MESSAGES = 3;

/** A model summarises all but the first and the last three messages once the prompt exceeds a share of the window. */
export function summaryAt(share: number): Policy {
  return {
    name: `summary at ${100 * share} %`,
    start: (setting) => {
      const summary = summaryStandIn(setting);
      let view: readonly Message[] = [];
      return {
        view: ({ newMessages }) => {
          view = [...view, ...newMessages];
          const promptTokens = promptTokensOf(setting, tokensOfAll(view));
          const folded = foldTo(view, summary);
          const isDue = promptTokens > share * setting.contextWindow && tokensOfAll(folded) < tokensOfAll(view);
          if (!isDue) return { messages: view };
          view = folded;
          return { messages: view, summary: { promptTokens, outputTokens: SUMMARY_TOKENS } };
        },
      };
    },
  };
}

function foldTo(view: readonly Message[], summary: Message): readonly Message[] {
  const kept = view.slice(-KEPT_MESSAGES);
  // a result without its call would be refused
  const start = kept[0] !== undefined && resultsOf(kept[0]).length > 0 ? -KEPT_MESSAGES - 1 : -KEPT_MESSAGES;
  return [...view.slice(0, 1), summary, ...view.slice(1).slice(start)];
}

function summaryStandIn({ session }: Setting): Message {
  return { role: "user", content: "word ".repeat(SUMMARY_TOKENS / session.tokenRatio) };
}

const STUB = "[cleared]";
const MASKED_AFTER_CALLS = 3;

/** Tool results that are older than three calls are replaced, one call after the other. */
export const MASKING: Policy = {
  name: "masking each turn",
  start: () => {
    const turns: (readonly Message[])[] = [];
    const stubs = new WeakMap<Message, Message>();
    return {
      view: ({ newMessages }) => {
        turns.push(newMessages);
        const messages = turns.flatMap((turn, i) =>
          i < turns.length - MASKED_AFTER_CALLS ? turn.map((message) => stubbed(message, stubs)) : turn,
        );
        return { messages };
      },
    };
  },
};

/** Anthropic's `clear_tool_uses` with the trigger and the number of kept results of its documentation, and a least gain as that advises. */
const CLEARING = { triggerTokens: 100_000, keptResults: 3, leastTokens: 20_000 };

/** Old tool results are cleared in batches; what was cleared stays so. */
export const CLEARING_BY_ANTHROPIC: Policy = {
  name: "clear_tool_uses (Anthropic)",
  start: (setting) => {
    const stubs = new WeakMap<Message, Message>();
    let view: readonly Message[] = [];
    return {
      view: ({ newMessages }) => {
        view = [...view, ...newMessages];
        if (promptTokensOf(setting, tokensOfAll(view)) <= CLEARING.triggerTokens) return { messages: view };
        const cleared = clearOld(view, stubs);
        const gained = setting.session.tokenRatio * (tokensOfAll(view) - tokensOfAll(cleared));
        if (gained >= CLEARING.leastTokens) view = cleared;
        return { messages: view };
      },
    };
  },
};

function clearOld(view: readonly Message[], stubs: WeakMap<Message, Message>): readonly Message[] {
  let results = 0;
  return view
    .toReversed()
    .map((message) => {
      const isKept = results < CLEARING.keptResults;
      results += resultsOf(message).length;
      return isKept ? message : stubbed(message, stubs);
    })
    .toReversed();
}

function resultsOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result");
}

/** The message with a stub for each of its tool results; the same object each time. */
function stubbed(message: Message, stubs: WeakMap<Message, Message>): Message {
  const known = stubs.get(message);
  if (known !== undefined) return known;
  const { content } = message;
  const stub =
    typeof content === "string" || resultsOf(message).length === 0
      ? message
      : {
          ...message,
          content: content.map((block) => (block.type === "tool_result" ? { ...block, content: STUB } : block)),
        };
  const shorter = tokensOf(stub) < tokensOf(message) ? stub : message;
  stubs.set(message, shorter);
  return shorter;
}
