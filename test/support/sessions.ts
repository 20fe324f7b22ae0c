import { validateView } from "../../src/core/index.ts";
import {
  type CondensationOptions,
  type CondensationPlugin,
  type CondensationResult,
  createEngine,
  type Engine,
  type EngineOptions,
  getEffectiveApiHistory,
  type Message,
  restoreAllMessages,
  type Session,
  type SessionOptions,
} from "../../src/index.ts";
import { GOOD_SUMMARY } from "./handlers.ts";
import { assistant, call, log, result, user } from "./messages.ts";

/** A window of 10,000 tokens: prompts may have 8,000, and from 7,500 on they are condensed. */
export const SMALL = { model: "test-model", contextWindow: 10_000, maxTokens: 1_000 } as const;

/** A text of about so many tokens that begins with `start`. */
export function prose(tokens: number, start: string): string {
  return `${start}:${" apple".repeat(tokens)}`;
}

/** A conversation of so many messages of about `tokensEach` tokens, with ids m0 … and times. */
export function talkOf(count: number, tokensEach: number): readonly Message[] {
  return log(
    ...Array.from({ length: count }, (_, index) =>
      index % 2 === 0 ? user(prose(tokensEach, `ask ${index}`)) : assistant(prose(tokensEach, `reply ${index}`)),
    ),
  );
}

/** A prompt and a tool loop: so many calls, each with a result of about `tokensEach` tokens. */
export function toolLoop(calls: number, tokensEach: number): readonly Message[] {
  return log(
    user("Fix the rotation of keys in src/auth/rotate.ts."),
    ...Array.from({ length: calls }, (_, index) => [
      assistant(call(`t${index}`, "read_file", { path: `src/file-${index}.ts` })),
      user(result(`t${index}`, prose(tokensEach, `file ${index}`))),
    ]).flat(),
  );
}

export interface CondenseRun {
  readonly messages: readonly Message[];
  readonly options: CondensationOptions;
}

export interface RecordingPlugin extends CondensationPlugin {
  readonly runs: readonly CondenseRun[];
}

export interface RecordingOptions extends Partial<Omit<CondensationPlugin, "name" | "condense">> {
  /** What it does. @default it hides the middle behind a good summary */
  readonly condense?: (run: CondenseRun) => unknown;
}

/** A strategy that asks no model and remembers how it was called. What it returns need not be a result. */
export function strategy(name: string, options: RecordingOptions = {}): RecordingPlugin {
  const { condense = ({ messages }) => hideMiddle(messages, `${name}-fold`), ...rest } = options;
  const runs: CondenseRun[] = [];
  return {
    name,
    priority: 0,
    shouldActivate: () => true,
    ...rest,
    runs,
    condense: async (messages, condensation): Promise<CondensationResult> => {
      runs.push({ messages, options: condensation });
      return untyped(await condense({ messages, options: condensation }));
    },
  };
}

/** Lets a test hand over what the types forbid. */
// biome-ignore lint/suspicious/noExplicitAny: that is what it is for
export function untyped(value: unknown): any {
  return value;
}

/** The log's messages from the second on, up to `end`, hidden behind a summary. @default end all but the last three */
export function hideMiddle(
  messages: readonly Message[],
  condenseId: string,
  { summary = GOOD_SUMMARY, end = messages.length - 3 }: { readonly summary?: string; readonly end?: number } = {},
): CondensationResult {
  const tagged = messages.map((message, index) =>
    index > 0 && index < end && message.condenseParent === undefined
      ? { ...message, condenseParent: condenseId }
      : message,
  );
  const standIn: Message = { role: "assistant", content: summary, id: condenseId, isSummary: true, condenseId };
  return { messages: tagged.toSpliced(end, 0, standIn), summary, cost: 0.5, condenseId, modelCalls: 1 };
}

/** An engine without the ledger, for tests of what models' strategies and truncation do on their own. */
export function engineWithoutLedger(options: Partial<EngineOptions>): Engine {
  const engine = createEngine({ ...SMALL, now: () => 0, ...options });
  engine.unregisterPlugin("ledger");
  return engine;
}

/** A session of such an engine of its own. */
export async function openSession(
  options: Partial<EngineOptions>,
  session: SessionOptions = {},
): Promise<{ readonly session: Session; readonly engine: Engine }> {
  const engine = engineWithoutLedger(options);
  return { engine, session: await engine.session("task", session) };
}

/** What is wrong with a session: something lost, or a view that providers would refuse. */
export async function problemsOf(session: Session, said: readonly Message[]): Promise<readonly string[]> {
  const messages = await session.log();
  const isWhole = JSON.stringify(restoreAllMessages(messages)) === JSON.stringify(said);
  const problems = validateView(getEffectiveApiHistory(messages)).map((problem) => problem.reason);
  return [...(isWhole ? [] : ["messages were lost or changed"]), ...problems];
}
