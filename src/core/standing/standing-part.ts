/**
 * What binds the agent and therefore stays visible, whole, for as long as it binds.
 *
 * - `request`: what the person asked last. `task`: what opened the session.
 * - `rule`: what a person said must always or never be done.
 * - `mode`: a mode that the agent is in, such as planning without edits.
 * - `system`: a message of the system or the developer inside the conversation.
 * - `instructions`: the project's own instruction files.
 * - `declaration`: tools and files that the model has only as long as it sees them.
 * - `skill`: instructions that were loaded. `command`: the text of an invoked command.
 * - `plan`: the newest state of a plan or a list of things to do.
 * - `reminder`: what an agent puts between messages: lists of skills, agents, tools.
 */
export type StandingKind = keyof typeof CLIP_ORDER;

/** Where even standing context has to be clipped, the lowest goes first and the person's newest request last. */
export const CLIP_ORDER = {
  reminder: 0,
  plan: 1,
  command: 2,
  skill: 3,
  system: 4,
  instructions: 5,
  declaration: 6,
  mode: 7,
  rule: 8,
  task: 9,
  request: 10,
} as const;

/** A part of a text: `start` inclusive, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Something in one block of a message that binds. */
export interface StandingPart {
  readonly kind: StandingKind;
  /** What it is about: of several parts with one key, only the newest binds. */
  readonly key: string;
  /** Index into the message's content; 0 where the content is a string. */
  readonly blockIndex: number;
  /** The part of the block's text that binds. @default the whole block */
  readonly span?: TextSpan;
}

/** A part as it stands in one message, before others are looked at. */
export interface FoundPart extends StandingPart {
  /** Equal for parts that say the same. */
  readonly text: string;
  /**
   * `binds`: from here on. `ends`: what had this key binds no longer. `repeats`: it says that what has this key still binds, and that its
   * text stands further up.
   */
  readonly effect: "binds" | "ends" | "repeats";
}
