/**
 * The kinds of parts that bind the agent, and therefore stay visible, whole, for as long as they bind.
 *
 * - `request`: the person's newest request. `task`: the first one.
 * - `rule`: something that a person said must always or never be done.
 * - `mode`: a mode that the agent is in, such as planning without edits.
 * - `system`: a message of the system or the developer inside the conversation.
 * - `instructions`: the project's own instruction files.
 * - `declaration`: tools and files that the model has only as long as it sees them.
 * - `skill`: instructions that were loaded. `command`: the text of an invoked command.
 * - `answer`: what a person said through a tool: the answer to its question, or why they refused its call.
 * - `plan`: the newest state of a plan or a list of things to do.
 * - `reminder`: text that an agent injects between messages, such as lists of skills, agents and tools.
 */
export type StandingKind = keyof typeof CLIP_ORDER;

/** The order in which standing context is clipped where there is no other way, the lowest first. */
export const CLIP_ORDER = {
  reminder: 0,
  plan: 1,
  command: 2,
  skill: 3,
  system: 4,
  instructions: 5,
  declaration: 6,
  mode: 7,
  answer: 8,
  rule: 9,
  task: 10,
  request: 11,
} as const;

/** A part of a text: `start` inclusive, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A part of a message that binds: a block, or a span of its text. */
export interface StandingPart {
  readonly kind: StandingKind;
  /** Names its subject: of several parts with one key, only the newest binds. */
  readonly key: string;
  /** Index into the message's content; 0 where the content is a string. */
  readonly blockIndex: number;
  /** The part of the block's text that binds. @default the whole block */
  readonly span?: TextSpan;
}

/** A part as it was read in one message, without regard to other messages. */
export interface FoundPart extends StandingPart {
  /** Equal for parts that say the same. */
  readonly text: string;
  /**
   * `binds`: it binds from here on. `ends`: earlier parts with this key bind no longer. `repeats`: it only says that an earlier part with this key
   * still binds.
   */
  readonly effect: "binds" | "ends" | "repeats";
}
