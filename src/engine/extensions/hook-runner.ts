import { assert, assertArray, assertFunction } from "../../core/assert.ts";
import type { CondensationContext, CondensationResult } from "../../core/ports/condensation.ts";
import type { AfterVerdict, BeforeVerdict, Hooks, PreCompressEvent } from "../../core/ports/hooks.ts";
import { LONGEST_TIMEOUT_MS } from "../time-limit.ts";
import { assertName, assertOptionalMethods } from "./assert-members.ts";
import { attemptWithin } from "./attempt.ts";
import type { OnFault } from "./fault.ts";
import { readAfterVerdict, readBeforeVerdict } from "./verdicts.ts";

/** Asks all registered hooks, in order. Its promises never reject: a hook that fails is reported and passed over. */
export interface HookRunner {
  /** Throws where they are no hooks. */
  register(hooks: Hooks): void;
  preCompress(event: PreCompressEvent): Promise<void>;
  /** The first veto, which ends the round; else all edits in one, where later ones win. */
  beforeCondensation(context: CondensationContext): Promise<BeforeVerdict | undefined>;
  /** The first veto, which ends the round; else the last edit. Each hook is shown the summary as edited so far. */
  afterCondensation(context: CondensationContext, result: CondensationResult): Promise<AfterVerdict | undefined>;
  /** The first answer that names one of the strategies. */
  selectStrategy(context: CondensationContext, strategies: readonly string[]): Promise<string | undefined>;
}

export interface HookRunnerOptions {
  /** How long one call of one hook may take. @default 10_000 */
  readonly timeoutMs?: number;
}

type Method = Exclude<keyof Hooks, "name">;

const METHODS: readonly Method[] = ["preCompress", "beforeCondensation", "afterCondensation", "selectStrategy"];

/** A runner of these hooks; `onFault` hears of each that throws, answers nonsense or takes too long. */
export function createHookRunner(
  hooks: readonly Hooks[],
  onFault: OnFault,
  { timeoutMs = 10_000 }: HookRunnerOptions = {},
): HookRunner {
  assertArray("hooks", hooks);
  assertFunction("onFault", onFault);
  const isPossible = typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMEOUT_MS;
  assert(isPossible, "timeoutMs", timeoutMs, `a number from 1 to ${LONGEST_TIMEOUT_MS}`);
  let registered: readonly Hooks[] = [];

  function register(added: Hooks): void {
    assertOptionalMethods("hooks", added, METHODS);
    assertName("hooks.name", added.name);
    registered = [...registered, added];
  }

  const ask: Ask = ({ name }, method, run) => attemptWithin(timeoutMs, run, { plugin: name, method, onFault });

  hooks.forEach(register);
  return {
    register,
    preCompress: (event) => preCompress({ hooks: registered, ask }, event),
    beforeCondensation: (context) => beforeCondensation({ hooks: registered, ask }, context),
    afterCondensation: (context, result) => afterCondensation({ hooks: registered, ask }, context, result),
    selectStrategy: (context, strategies) => selectStrategy({ hooks: registered, ask }, context, strategies),
  };
}

/** The answer of one hook; undefined where it has none, or failed. */
type Ask = <Answer>(
  hooks: Hooks,
  method: Method,
  run: () => Promise<Answer | undefined>,
) => Promise<Answer | undefined>;

/** Hooks that are registered while a round runs are first asked in the next one. */
interface Round {
  readonly hooks: readonly Hooks[];
  readonly ask: Ask;
}

async function preCompress({ hooks, ask }: Round, event: PreCompressEvent): Promise<void> {
  for (const asked of hooks) await ask(asked, "preCompress", async () => asked.preCompress?.(event));
}

async function beforeCondensation(
  { hooks, ask }: Round,
  context: CondensationContext,
): Promise<BeforeVerdict | undefined> {
  let edits: BeforeVerdict | undefined;
  for (const asked of hooks) {
    const verdict = await ask(asked, "beforeCondensation", async () =>
      readBeforeVerdict(await asked.beforeCondensation?.(context)),
    );
    if (verdict?.type === "veto") return verdict;
    if (verdict !== undefined) edits = { ...edits, ...verdict };
  }
  return edits;
}

async function afterCondensation(
  { hooks, ask }: Round,
  context: CondensationContext,
  result: CondensationResult,
): Promise<AfterVerdict | undefined> {
  let edit: AfterVerdict | undefined;
  let shown = result;
  for (const asked of hooks) {
    const verdict = await ask(asked, "afterCondensation", async () =>
      readAfterVerdict(await asked.afterCondensation?.(context, shown)),
    );
    if (verdict?.type === "veto") return verdict;
    if (verdict === undefined) continue;
    edit = verdict;
    shown = { ...result, summary: verdict.summary };
  }
  return edit;
}

async function selectStrategy(
  { hooks, ask }: Round,
  context: CondensationContext,
  strategies: readonly string[],
): Promise<string | undefined> {
  for (const asked of hooks) {
    const strategy = await ask(asked, "selectStrategy", async () => {
      // each gets a list of its own: what it does to it must not change what was offered
      const answer: unknown = await asked.selectStrategy?.(context, [...strategies]);
      if (answer === undefined) return undefined;
      assert(typeof answer === "string" && strategies.includes(answer), "strategy", answer, offered(strategies));
      return answer;
    });
    if (strategy !== undefined) return strategy;
  }
  return undefined;
}

function offered(strategies: readonly string[]): string {
  return strategies.length === 0 ? "undefined, as none is offered" : `one of ${strategies.join(", ")}`;
}
