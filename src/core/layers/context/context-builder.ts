import { assert, assertFunction, assertNumber, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { CountTokens } from "../../message/message.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import {
  BudgetAllocator,
  type BudgetAllocatorOptions,
  type BudgetNeeds,
  usableTokens,
} from "../budget/allocate-budget.ts";
import { LAYER_NAMES, MEMORY_KINDS } from "../layer-names.ts";
import type { LayeredState, Phase } from "../layered-state.ts";
import { createLexicalSimilarity } from "../select/lexical-similarity.ts";
import type { Similarity } from "../select/relevance.ts";
import { selectContent } from "../select/select-content.ts";
import { checkState } from "../state/check-state.ts";
import { type ComposedContext, composeContext, type LayerReport, needsOf } from "./compose-context.ts";
import type { Shorten } from "./condense-item.ts";
import type { ContextGroup } from "./context-item.ts";
import { type ContextSyntax, type Rendering, TEXT_SYNTAX, XML_SYNTAX } from "./context-syntax.ts";

/** The format of a context: XML, or headings and lines of plain text. */
export type ContextFormat = "xml" | "text";

const SYNTAXES: Readonly<Record<ContextFormat, ContextSyntax>> = { xml: XML_SYNTAX, text: TEXT_SYNTAX };

export function assertContextFormat(name: string, format: ContextFormat): void {
  const formats = Object.keys(SYNTAXES).map((known) => JSON.stringify(known));
  assert(Object.hasOwn(SYNTAXES, format), name, format, `one of ${formats.join(", ")}`);
}

export interface ContextBuilderOptions extends BudgetAllocatorOptions {
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Both formats show the same content; tokens are counted in the chosen one. @default "xml" */
  readonly format?: ContextFormat | undefined;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens | undefined;
  /** @default by words */
  readonly similarity?: Similarity | undefined;
  /** Called to shorten a text that does not fit; a result that is too long is ignored. @default the most informative lines are quoted */
  readonly shorten?: Shorten | undefined;
}

export interface BuiltContext {
  /** Well-formed XML, or plain text, as `format` says. */
  readonly context: string;
  readonly metadata: ContextMetadata;
}

export interface ContextMetadata {
  /** The tokens of the context, by `countTokens`. */
  readonly totalTokens: number;
  /** In the order of the context; tokens are counted element by element. */
  readonly layers: readonly LayerReport[];
  /** The shown share of the selected content: 1 where nothing had to be condensed or left out. */
  readonly compressionRatio: number;
}

/** How often a context that is too large is composed again with a smaller budget: the counts of parts need not add up with every counter. */
const MAX_TRIES = 6;
/** By which multiple of the excess the budget shrinks. */
const CAUTION = 1.25;

/**
 * Selects the content of a state that an agent should know now, and writes it into one text that fits a budget.
 * @example
 * ```ts
 * import { ContextBuilder, createInitialState } from "palimpsest/agent";
 * const builder = new ContextBuilder({ totalTokens: 4_000, now: Date.now });
 * const { context, metadata } = builder.build(createInitialState("Fix the login"));
 * console.log(context.includes("Fix the login"), metadata.totalTokens <= 4_000); // true true
 * ```
 */
export class ContextBuilder {
  readonly #allocator: BudgetAllocator;
  readonly #rendering: Rendering;
  readonly #now: () => number;
  readonly #similarity: Similarity;
  readonly #shorten: Shorten | undefined;

  constructor(options: ContextBuilderOptions) {
    assertObject("options", options);
    const { now, format = "xml", countTokens, similarity = createLexicalSimilarity(), shorten } = options;
    assertContextFormat("format", format);
    assertFunction("now", now);
    assertFunction("similarity", similarity);
    if (shorten !== undefined) assertFunction("shorten", shorten);
    this.#allocator = new BudgetAllocator(options);
    this.#rendering = { syntax: SYNTAXES[format], countTokens: checkedCounter(countTokens) };
    this.#now = now;
    this.#similarity = similarity;
    this.#shorten = shorten;
  }

  /**
   * The context of a state, in nine tenths of the total at most. Equal states at equal times give equal contexts. Throws
   * "cannot-fit" where the system and task layers, which are always whole, need more.
   */
  build(state: LayeredState): BuiltContext {
    checkState(state);
    const now = this.#now();
    assertNumber("now()", now);
    const groups = selectContent(state, { now, similarity: this.#similarity });
    const needs = needsOf(groups, this.#rendering);
    const { context, layers, totalTokens } = this.#fit(groups, { phase: state.l2_runtime.phase, needs });
    const selectedTokens = Math.max(1, totalOf(needs));
    return { context, metadata: { totalTokens, layers, compressionRatio: Math.min(1, totalTokens / selectedTokens) } };
  }

  #fit(groups: readonly ContextGroup[], { phase, needs }: Demand): CountedContext {
    const limit = usableTokens(this.#allocator.totalTokens);
    const critical = this.#compose(groups, { phase, needs, totalTokens: 0 });
    if (critical.totalTokens > limit) throw this.#cannotFit(critical.totalTokens, limit);
    let { totalTokens } = this.#allocator;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const composed = this.#compose(groups, { phase, needs, totalTokens });
      if (composed.totalTokens <= limit) return composed;
      totalTokens = Math.max(0, totalTokens - Math.ceil((composed.totalTokens - limit) * CAUTION));
    }
    return critical;
  }

  #compose(groups: readonly ContextGroup[], { phase, ...options }: Demand & { totalTokens: number }): CountedContext {
    const allocation = this.#allocator.allocate(phase, options);
    const composed = composeContext(groups, { ...this.#rendering, allocation, shorten: this.#shorten });
    return { ...composed, totalTokens: this.#rendering.countTokens(composed.context) };
  }

  #cannotFit(needed: number, limit: number): PalimpsestError {
    return new PalimpsestError(
      "cannot-fit",
      `The system and task layers need ${needed} tokens, and totalTokens ${this.#allocator.totalTokens} leaves ${limit} of them ` +
        "(a tenth stays free). Raise totalTokens, or shorten the role, the policies or the task.",
    );
  }
}

interface Demand {
  readonly phase: Phase;
  readonly needs: BudgetNeeds;
}

interface CountedContext extends ComposedContext {
  readonly totalTokens: number;
}

function totalOf(needs: BudgetNeeds): number {
  const memory = MEMORY_KINDS.reduce((sum, kind) => sum + needs.memory[kind], 0);
  return LAYER_NAMES.reduce((sum, layer) => sum + (layer === "memory" ? 0 : needs[layer]), memory);
}
