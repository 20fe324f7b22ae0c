/** Random conversations in which much binds the agent, as data. */
import fc from "fast-check";

/** How a project's instructions reach the model inside a user's message. */
export type InstructionForm = "reminder" | "codex" | "copilot";

/** What an agent puts before what a person asks. */
export type Attachment =
  | { readonly type: "nothing" }
  | {
      readonly type: "instructions";
      readonly file: number;
      readonly isChanged: boolean;
      readonly form: InstructionForm;
    }
  | { readonly type: "plan-mode"; readonly effect: "enter" | "still" | "exit" };

export interface AskPlan {
  readonly type: "ask";
  readonly attachment: Attachment;
  /** The attachment as a message of its own, as a block before the request, or in one text with it. */
  readonly place: "own" | "block" | "joined";
  readonly hasRule: boolean;
  /** A pasted text around the request, as a share of the room for the conversation. */
  readonly pastedShare: number;
  readonly hasSystem: boolean;
}

export interface WorkPlan {
  readonly type: "work";
  /** The results' sizes, as shares of the room for the conversation. */
  readonly shares: readonly number[];
  /** Instructions that come with the first result. */
  readonly attached: "nothing" | "reminder" | "section";
  readonly file: number;
  readonly isChanged: boolean;
  /** What the person says while the agent works. */
  readonly isInterrupted: boolean;
  readonly hasSystem: boolean;
  readonly isList: boolean;
}

export type EventPlan =
  | AskPlan
  | WorkPlan
  | { readonly type: "todo"; readonly lines: number }
  | { readonly type: "skill"; readonly form: "element" | "opening" | "tool" | "file"; readonly name: number }
  | { readonly type: "read"; readonly file: number; readonly isChanged: boolean; readonly share: number }
  | { readonly type: "point"; readonly file: number; readonly words: "qwen" | "claude" }
  | { readonly type: "read-instructions"; readonly file: number; readonly isChanged: boolean }
  | { readonly type: "declare" }
  | { readonly type: "exit-plan-mode" }
  | { readonly type: "answer"; readonly form: AnswerForm; readonly lines: number }
  | { readonly type: "forged-answer"; readonly form: "result" | "text"; readonly share: number };

/** How a person speaks through a tool: they answer its question, in a result or a text, or refuse a call and say why. */
export type AnswerForm = "question" | "spoken-question" | "refusal";

export interface StandingPlan {
  readonly contextWindow: number;
  readonly maxTokens: number;
  /** System prompt and tools, as a share of the window. */
  readonly overheadShare: number;
  /** How many lines a block that binds has. */
  readonly blockLines: number;
  readonly opening: AskPlan;
  readonly events: readonly EventPlan[];
}

const constant = fc.constant;
const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const rarely = fc.constantFrom(true, false, false, false);
const file = fc.nat(1);

const attachment: fc.Arbitrary<Attachment> = fc.oneof(
  { weight: 4, arbitrary: constant<Attachment>({ type: "nothing" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("instructions" as const),
      file,
      isChanged: fc.boolean(),
      form: fc.constantFrom<InstructionForm>("reminder", "codex", "copilot"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("plan-mode" as const),
      effect: fc.constantFrom("enter" as const, "still" as const, "still" as const, "exit" as const),
    }),
  },
);

const ask = fc.record<AskPlan>({
  type: constant("ask"),
  attachment,
  place: fc.constantFrom("own", "block", "joined"),
  hasRule: rarely,
  pastedShare: fc.oneof({ weight: 4, arbitrary: constant(0) }, { weight: 1, arbitrary: share(0, 0.08) }),
  hasSystem: rarely,
});

const resultShare = fc.oneof(
  { weight: 8, arbitrary: share(0, 0.15) },
  { weight: 2, arbitrary: share(0.15, 0.3) },
  { weight: 1, arbitrary: share(0.3, 1.3) },
);

const work = fc.record<WorkPlan>({
  type: constant("work"),
  shares: fc.array(resultShare, { minLength: 1, maxLength: 2 }),
  attached: fc.constantFrom("nothing", "nothing", "reminder", "section"),
  file,
  isChanged: fc.boolean(),
  isInterrupted: fc.constantFrom(true, false, false, false, false),
  hasSystem: rarely,
  isList: rarely,
});

const event: fc.Arbitrary<EventPlan> = fc.oneof(
  { weight: 4, arbitrary: ask },
  { weight: 10, arbitrary: work },
  { weight: 1, arbitrary: fc.record({ type: constant("todo" as const), lines: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: constant("skill" as const),
      form: fc.constantFrom("element" as const, "opening" as const, "tool" as const, "file" as const),
      name: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("read" as const),
      file,
      isChanged: rarely,
      share: fc.oneof({ weight: 5, arbitrary: share(0.02, 0.15) }, { weight: 1, arbitrary: share(0.15, 0.5) }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("point" as const),
      file,
      words: fc.constantFrom("qwen" as const, "claude" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: constant("read-instructions" as const), file, isChanged: fc.boolean() }) },
  { weight: 1, arbitrary: constant<EventPlan>({ type: "declare" }) },
  { weight: 1, arbitrary: constant<EventPlan>({ type: "exit-plan-mode" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("answer" as const),
      form: fc.constantFrom<AnswerForm>("question", "spoken-question", "refusal"),
      lines: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: constant("forged-answer" as const),
      form: fc.constantFrom("result" as const, "text" as const),
      share: fc.oneof({ weight: 2, arbitrary: share(0, 0.05) }, { weight: 1, arbitrary: share(0.05, 0.6) }),
    }),
  },
);

/** Conversations that outgrow their window several times. */
export const standingPlan: fc.Arbitrary<StandingPlan> = fc.record({
  contextWindow: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 6_000, max: 12_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 12_000, max: 40_000 }) },
  ),
  maxTokens: fc.integer({ min: 0, max: 4_000 }),
  overheadShare: fc.oneof({ weight: 2, arbitrary: share(0, 0.15) }, { weight: 1, arbitrary: share(0.15, 0.6) }),
  blockLines: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 60 }) },
  ),
  opening: ask,
  events: fc.array(event, { minLength: 12, maxLength: 40, size: "max" }),
});
