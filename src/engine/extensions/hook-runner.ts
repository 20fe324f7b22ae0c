import { assert, assertArray, assertFunction } from "../../core/assert.ts";
import type { CondensationContext, CondensationResult } from "../../core/ports/condensation.ts";
import type { AfterVerdict, BeforeVerdict, Hooks, PreCompressEvent } from "../../core/ports/hooks.ts";
import { LONGEST_TIMEOUT_MS } from "../time-limit.ts";
import { assertName, assertOptionalMethods } from "./assert-members.ts";
import { attemptWithin } from "./attempt.ts";
import type { OnFault } from "./fault.ts";
import { readAfterVerdict, readBeforeVerdict } from "./verdicts.ts";

/** Calls all registered hooks, in order. Never rejects: a hook that fails is reported as a fault and skipped. */
export interface HookRunner {
  /** Throws "invalid-argument" for an object that is no hooks. */
  register(hooks: Hooks): void;
  preCompress(event: PreCompressEvent): Promise<void>;
  /** Resolves to the first veto, after which no further hook is called; otherwise to all edits in one, where later ones win. */
  beforeCondensation(context: CondensationContext): Promise<BeforeVerdict | undefined>;
  /** Resolves to the first veto, after which no further hook is called; otherwise to the last edit. Each hook gets the summary as edited so far. */
  afterCondensation(context: CondensationContext, result: CondensationResult): Promise<AfterVerdict | undefined>;
  /** Resolves to the first answer that names one of the strategies. */
  selectStrategy(context: CondensationContext, strategies: readonly string[]): Promise<string | undefined>;
}

export interface HookRunnerOptions {
  /** How long one call of one hook may take. @default 10_000 */
  readonly timeoutMs?: number;
}

type Method = Exclude<keyof Hooks, "name">;

const METHODS: readonly Method[] = ["preCompress", "beforeCondensation", "afterCondensation", "selectStrategy"];

/** Creates a runner of these hooks. `onFault` is called for a hook that throws, returns an invalid answer or takes too long. */
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

/** Calls one hook; resolves to undefined where it has no answer, or failed. */
type Ask = <Answer>(
  hooks: Hooks,
  method: Method,
  run: () => Promise<Answer | undefined>,
) => Promise<Answer | undefined>;

/** The hooks of one call of the runner. Hooks that are registered meanwhile take part in the next one. */
interface Round {
  readonly hooks: readonly Hooks[];
  readonly ask: Ask;
}

async function preCompress({ hooks, ask }: Round, event: PreCompressEvent): Promise<void> {
  for (const hook of hooks) await ask(hook, "preCompress", async () => hook.preCompress?.(event));
}

async function beforeCondensation(
  { hooks, ask }: Round,
  context: CondensationContext,
): Promise<BeforeVerdict | undefined> {
  let edits: BeforeVerdict | undefined;
  for (const hook of hooks) {
    const verdict = await ask(hook, "beforeCondensation", async () =>
      readBeforeVerdict(await hook.beforeCondensation?.(context)),
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
  for (const hook of hooks) {
    const verdict = await ask(hook, "afterCondensation", async () =>
      readAfterVerdict(await hook.afterCondensation?.(context, shown)),
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
  for (const hook of hooks) {
    const strategy = await ask(hook, "selectStrategy", async () => {
      // A copy for each hook, so that none can change the list for the others.
      const answer: unknown = await hook.selectStrategy?.(context, [...strategies]);
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
