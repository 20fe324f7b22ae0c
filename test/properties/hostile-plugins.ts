/** Other people's code at its worst: strategies, hooks, validators, resolvers and telemetry that do what they must not. */
import fc from "fast-check";
import { effectiveView, isStandIn } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { CondensationPlugin, CondensationResult } from "../../src/core/ports/condensation.ts";
import { denseText } from "./long-conversations.ts";
import { passFor } from "./promises.ts";

const GOOD =
  "The person asked for a fix of src/auth/rotate.ts; it was made, and the tests of rotateKeys were run once more.";
const ID = "condense-hostile";

function standIn(fields: object): object {
  return { id: ID, role: "assistant", content: GOOD, isSummary: true, condenseId: ID, ...fields };
}

/** Hides what `isChosen` names behind a summary, put after the last of it. */
function hide(
  messages: readonly Message[],
  isChosen: (message: Message, index: number) => boolean,
  summary = standIn({}),
) {
  const visible = new Set(effectiveView(messages));
  const chosen = messages.map((message, index) => visible.has(message) && isChosen(message, index));
  const tagged: readonly object[] = messages.map((message, index) =>
    chosen[index] ? { ...message, condenseParent: ID } : message,
  );
  return {
    messages: tagged.toSpliced(chosen.lastIndexOf(true) + 1, 0, summary),
    summary: GOOD,
    cost: 0,
    condenseId: ID,
  };
}

/** All but the first message and the newest three: what an honest strategy might do, without looking at pairs. */
const isMiddle = (messages: readonly Message[]) => (_: Message, index: number) =>
  index > 0 && index < messages.length - 3;

const hasCalls = ({ role, content }: Message) =>
  role === "assistant" && typeof content !== "string" && content.some((block) => block.type === "tool_use");

type Condense = (messages: readonly Message[]) => unknown;

function breaks(reason: unknown): never {
  throw reason;
}

/** By name, so that a counterexample reads well. */
export const HOSTILE_STRATEGIES = {
  honest: (messages) => hide(messages, isMiddle(messages)),
  returnsUndefined: () => undefined,
  returnsNull: () => null,
  returnsNumber: () => 7,
  returnsText: () => GOOD,
  returnsNothing: () => ({}),
  throws: () => breaks(new Error("broken")),
  throwsNothing: () => breaks(undefined),
  throwsText: () => breaks("broken"),
  rejects: () => Promise.reject(new Error("broken")),
  saysWhatIsNoError: () => ({
    messages: [],
    summary: GOOD,
    cost: 0,
    error: { toString: () => breaks(new Error("no text")) },
  }),
  getterBreaks: () => ({
    get messages() {
      return breaks(new Error("no messages"));
    },
    summary: GOOD,
    cost: 0,
    condenseId: ID,
  }),
  dropsAll: () => ({ messages: [], summary: GOOD, cost: 0, condenseId: ID }),
  dropsOldest: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: hide(messages, isMiddle(messages)).messages.slice(1),
  }),
  replacesMiddle: (messages) => ({
    messages: [messages[0], standIn({}), ...messages.slice(-1)],
    summary: GOOD,
    cost: 0,
    condenseId: ID,
  }),
  adds: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: [...hide(messages, isMiddle(messages)).messages, { role: "user", content: "more" }],
  }),
  edits: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: hide(messages, isMiddle(messages)).messages.map((each) => ({ ...each, content: GOOD })),
  }),
  addsField: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: hide(messages, isMiddle(messages)).messages.map((each) => ({ ...each, seen: true })),
  }),
  reverses: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: hide(messages, isMiddle(messages)).messages.toReversed(),
  }),
  hidesAll: (messages) => hide(messages, () => true),
  hidesAllButLast: (messages) => hide(messages, (_, index) => index < messages.length - 1),
  hidesFirst: (messages) => hide(messages, (_, index) => index === 0),
  hidesCalls: (messages) => hide(messages, hasCalls),
  hidesResults: (messages) => hide(messages, (message, index) => index > 0 && message.role === "user"),
  hidesNothing: (messages) => hide(messages, () => false),
  hidesEveryOther: (messages) => hide(messages, (_, index) => index % 2 === 1),
  namesAnotherSummary: (messages) => ({ ...hide(messages, isMiddle(messages)), condenseId: "another" }),
  namesNoSummary: (messages) => ({ messages, summary: GOOD, cost: 0, condenseId: ID }),
  namesNothing: (messages) => ({ ...hide(messages, isMiddle(messages)), condenseId: undefined }),
  writesAtLength: (messages) => hide(messages, isMiddle(messages), standIn({ content: denseText(60_000) })),
  writesNothing: (messages) => hide(messages, isMiddle(messages), standIn({ content: " " })),
  writesNoBlock: (messages) => hide(messages, isMiddle(messages), standIn({ content: [] })),
  writesCall: (messages) =>
    hide(messages, isMiddle(messages), standIn({ content: [{ type: "tool_use", id: "new", name: "rm", input: {} }] })),
  writesResult: (messages) =>
    hide(
      messages,
      isMiddle(messages),
      standIn({ role: "user", content: [{ type: "tool_result", tool_use_id: "new" }] }),
    ),
  writesSystem: (messages) => hide(messages, isMiddle(messages), standIn({ role: "system" })),
  claimsOriginals: (messages) => ({
    ...hide(messages, () => false),
    messages: messages.map((message) => ({ ...message, isSummary: true, condenseId: ID })),
  }),
  foldsBlocks: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    messages: hide(messages, isMiddle(messages)).messages.map((each) => ({
      ...each,
      folds: [
        {
          foldId: "clip-hostile",
          kind: "clip",
          blockIndex: 0,
          standIn: { type: "text", text: "gone" },
          hiddenTokens: 1,
        },
      ],
    })),
  }),
  unfolds: (messages) =>
    hide(
      messages.filter((message) => !isStandIn(message)),
      isMiddle(messages),
    ),
  usesIdsAgain: (messages) => {
    const condenseId = messages.find((message) => message.isSummary === true)?.condenseId ?? ID;
    return { ...hide(messages, isMiddle(messages), standIn({ condenseId })), condenseId };
  },
  asksTooMuch: (messages) => ({
    ...hide(messages, isMiddle(messages)),
    cost: Number.NaN,
    modelCalls: Number.POSITIVE_INFINITY,
  }),
  paysBack: (messages) => ({ ...hide(messages, isMiddle(messages)), cost: -5, modelCalls: -5 }),
  holds: (messages) => ({ ...hide(messages, isMiddle(messages)), messages: [null, undefined, 7] }),
  emptiesItsList: (messages) => {
    if (Array.isArray(messages)) messages.length = 0;
    return { messages, summary: GOOD, cost: 0, condenseId: ID };
  },
  turnsItsListRound: (messages) => {
    const result = hide(messages, isMiddle(messages));
    if (Array.isArray(messages)) messages.reverse();
    return result;
  },
} satisfies Record<string, Condense>;

export type HostileStrategy = keyof typeof HOSTILE_STRATEGIES;

export function hostilePlugin(name: HostileStrategy): CondensationPlugin {
  const condense: Condense = HOSTILE_STRATEGIES[name];
  return {
    name,
    priority: 0,
    shouldActivate: () => true,
    condense: async (messages) => {
      const result = await condense(messages);
      passFor<CondensationResult>(result);
      return result;
    },
  };
}

const strategyNames = Object.keys(HOSTILE_STRATEGIES).filter(
  (name): name is HostileStrategy => name in HOSTILE_STRATEGIES,
);

export const hostileStrategies = fc.uniqueArray(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<HostileStrategy>("honest") },
    { weight: 5, arbitrary: fc.constantFrom(...strategyNames) },
  ),
  { minLength: 1, maxLength: 3 },
);

/** What a function of theirs answers: nonsense, an answer that hurts, or nothing. */
export type Answer =
  | { readonly type: "returns"; readonly value: unknown }
  | { readonly type: "throws" }
  | { readonly type: "rejects" };

const NONSENSE: readonly unknown[] = [
  undefined,
  null,
  7,
  Number.NaN,
  "",
  GOOD,
  {},
  [],
  { type: "veto" },
  { type: "veto", reason: "not now" },
  { type: "edit" },
  { type: "edit", summary: GOOD, prompt: "Sum up.", keepMessages: 0 },
  { type: "edit", summary: denseText(30_000), prompt: denseText(30_000), keepMessages: 1e9 },
  { type: "edit", summary: " ", prompt: " ", keepMessages: -1 },
  { isValid: false, issues: ["no"], score: 0 },
  { isValid: true, issues: [], score: 1 },
  { isValid: "yes", issues: null, score: Number.NaN },
  { type: "oldest" },
  { type: "keepLast", count: 0 },
  { type: "fraction", fracToRemove: 0 },
  { type: "fraction", fracToRemove: 2 },
  5,
  100,
];

export const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NONSENSE).map((value): Answer => ({ type: "returns", value })) },
  { weight: 1, arbitrary: fc.constant<Answer>({ type: "throws" }) },
  { weight: 1, arbitrary: fc.constant<Answer>({ type: "rejects" }) },
);

/** A function that answers so, whatever it is asked. */
export function answering<Value>(given: Answer): () => Value {
  return () => {
    if (given.type === "throws") breaks(new Error("broken"));
    const answered: unknown = given.type === "rejects" ? Promise.reject(new Error("broken")) : given.value;
    passFor<Value>(answered);
    return answered;
  };
}
