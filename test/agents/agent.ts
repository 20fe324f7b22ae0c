/** A command-line agent that people have, as the tests install and start it. */
export interface Agent {
  readonly name: string;
  /** Of the registry, with its exact version. */
  readonly packageName: string;
  readonly version: string;
  /** Its command. */
  readonly command: string;
  readonly modelId: string;
  /** A window that its own instructions and tools fit, with room for a few notes but not for all of them. */
  readonly tightWindowTokens: number;
  /** The faults that it takes as the end; after all others it sends the step again. */
  readonly givesUpOn: readonly FaultName[];
  /** Whether its exit code says that it gave up. @default true */
  readonly exitsWithFailure?: boolean;
  /** Whether it goes on with an earlier session without a person in front of it. @default true */
  readonly canContinue?: boolean;
  /** Whether what it sends after `isContinued` is valid where tools were called before. */
  readonly canContinueAfterTools: boolean;
  /** How it can be made to summarise its own history; undefined where that takes a person. */
  readonly summarises: SummaryTrigger | undefined;
  /** The tool that starts a sub-agent, with its arguments but the prompt; undefined where there is none, or one that needs more than a reply. */
  readonly delegates: Delegation | undefined;
  /** Whether `palimpsest run` points it; else its own settings do, at a port that is known beforehand. @default true */
  readonly isPointedByRun?: boolean;
  /** Where it finds what binds it in a project; undefined where that is not tested. */
  readonly layout?: ProjectLayout;
  /** How it is started for one prompt, without a person: all that it reads lies below `home`. */
  launch(options: LaunchOptions): Launch;
}

export interface Delegation {
  readonly tool: string;
  readonly input: Readonly<Record<string, string>>;
  /** Whether requests of the sub-agent say who started it. @default false */
  readonly isParentNamed?: boolean;
}

/** Paths below the working folder, as this agent expects them. */
export interface ProjectLayout {
  /** The guide to the project, which it reads when it starts. */
  readonly guide: string;
  /** The guide to a sub-folder, which it reads when it works there; undefined where there are none. */
  readonly nestedGuide: ((folder: string) => NestedGuide) | undefined;
  /** The folder that holds one folder per skill; undefined where it has no skills. */
  readonly skills: string | undefined;
  /** What a person says to load a skill; undefined where the model loads it by a tool. */
  readonly askForSkill?: ((name: string) => string) | undefined;
  /** The file that declares a type of sub-agent; undefined where the model is not told of them. */
  readonly agentType: ((name: string) => string) | undefined;
  /** A part of what it tells the model in plan mode; undefined where that mode takes a person. */
  readonly planMarker: RegExp | undefined;
}

export interface NestedGuide {
  readonly path: string;
  /** What comes before its rules. */
  readonly head?: readonly string[];
}

export type SummaryTrigger =
  | { readonly type: "prompt"; readonly prompt: string }
  /** It believes in this window. */
  | { readonly type: "window"; readonly tokens: number };

/** What an upstream can do to a step: refuse it with this status, or cut the stream of its reply. */
export type FaultName = "429" | "500" | "529" | "cut";

export interface LaunchOptions {
  readonly prompt: string;
  /** The origin to talk to, without a path; undefined where something else points it there. */
  readonly url: string | undefined;
  readonly apiKey: string;
  /** Its own, so that nothing of the person who runs the tests is read or written. */
  readonly home: string;
  readonly modelId: string;
  /** Whether it goes on with the last session of this home and working folder. */
  readonly isContinued: boolean;
  /** What it is to take for the model's window; its own idea where undefined. */
  readonly believedWindowTokens: number | undefined;
  /** Whether it may only read and plan. @default false */
  readonly isPlanning?: boolean;
}

export interface Launch {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files that it needs, by path below `home`. */
  readonly files?: Readonly<Record<string, string>>;
}
