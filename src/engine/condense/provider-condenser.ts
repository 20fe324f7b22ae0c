import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { applyCondensation, type CondensationPlan } from "../../core/condense/condensation-plan.ts";
import { planHiding } from "../../core/condense/plan-hiding.ts";
import { entryAfter, type ViewEntry, viewEntries } from "../../core/condense/view-entries.ts";
import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { MIN_CONDENSE_WINDOW } from "../../core/policy/will-manage-context.ts";
import type { CondensationOptions, CondensationPlugin, CondensationResult } from "../../core/ports/condensation.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { askAnthropic, askOpenAi, type CompactionClient, type CompactionReply } from "./provider-clients.ts";

export interface ProviderCondenserOptions {
  /** The model that compacts. It must be the session's: only its provider can read the compaction. */
  readonly model: string;
  /** Replaces Anthropic's own instructions for a summary; OpenAI takes none. @default the provider's */
  readonly instructions?: string | undefined;
  /** @default "provider" */
  readonly name?: string | undefined;
  /** Among the condensers that activate, the one with the highest priority is tried first. @default 0 */
  readonly priority?: number | undefined;
}

/**
 * Creates a condenser that has the provider compact the conversation: by Anthropic's request for a compaction, or OpenAI's `/responses/compact`. The
 * compaction is sent back unchanged, so the view is for that provider alone. The originals stay in the log, and `restore` shows them again.
 * @example
 * ```ts
 * import { createEngine, providerCondenser } from "palimpsest";
 * // new Anthropic() or new OpenAI()
 * const client = { responses: { compact: async () => ({ output: [{ type: "compaction", encrypted_content: "sealed" }] }) } };
 * const condenser = providerCondenser(client, { model: "gpt-5.4" });
 * createEngine({ model: "gpt-5.4", condenser });
 * console.log(condenser.name); // provider
 * ```
 */
export function providerCondenser(client: CompactionClient, options: ProviderCondenserOptions): CondensationPlugin {
  assertObject("client", client);
  assertObject("options", options);
  const { model, instructions, name = "provider", priority = 0 } = options;
  assert(typeof model === "string" && model !== "", "options.model", model, "the id of a model");
  assertNumber("options.priority", priority);
  const isOpenAi = "responses" in client;
  assert(isOpenAi || "beta" in client, "client", client, "a client of Anthropic's or OpenAI's official package");
  return {
    name,
    priority,
    isOpaque: isOpenAi,
    shouldActivate: ({ contextWindow }) => contextWindow >= MIN_CONDENSE_WINDOW,
    condense: (messages, condensation) =>
      compact(messages, condensation, (view) => {
        const asked = { view, model, instructions, options: condensation };
        return "responses" in client ? askOpenAi(client, asked) : askAnthropic(client, asked);
      }),
  };
}

async function compact(
  messages: readonly Message[],
  options: CondensationOptions,
  ask: (view: readonly Message[]) => Promise<CompactionReply>,
): Promise<CondensationResult> {
  if (options.maxModelCalls < 1) return refuseCondensation(messages, { error: "No model may be asked any more." });
  const view = viewEntries(messages);
  const hidden = view.slice(0, splitOf(view, options.keepMessages));
  if (hidden.length < 2)
    return refuseCondensation(messages, { error: "There is nothing to compact before the last turn." });
  const { taskId, countTokens } = options;
  const plan = planHiding(messages, hidden, {
    taskId,
    countTokens,
    goal: [],
    carried: [],
    kept: [],
    standing: new Map(),
    next: entryAfter(view, hidden),
  });
  const reply = await ask(hidden.map(({ message }) => message));
  const { window, costUsd } = reply;
  if (!window.some(showsCompaction)) {
    return refuseCondensation(messages, { error: "The provider returned no compaction.", costUsd, modelCalls: 1 });
  }
  return {
    messages: applyCondensation(messages, plan, standInsOf(plan, window)),
    summary: reply.summary,
    cost: costUsd,
    condenseId: plan.condenseId,
    modelCalls: 1,
  };
}

/** The index of the newest user turn that leaves at least `keepMessages` messages from it on; 0 where there is none. */
function splitOf(view: readonly ViewEntry[], keepMessages: number): number {
  const most = view.length - Math.max(1, keepMessages);
  return Math.max(
    0,
    view.findLastIndex(({ message }, index) => index <= most && index > 0 && opensTurn(message)),
  );
}

function opensTurn({ role, content }: Message): boolean {
  return role === "user" && !contentBlocks(content).some(isToolResult);
}

/** The stand-ins: the account, which is for us alone, and the messages to send back: those that the provider kept, then its compaction. */
function standInsOf({ condenseId, hidden, ts }: CondensationPlan, window: readonly Message[]): readonly Message[] {
  const tags = { ...(ts === undefined ? {} : { ts }), isSummary: true, condenseId, important: true };
  const text = `[The provider compacted ${hidden.length} messages: fold ${condenseId}.]`;
  const place = window.findLastIndex(showsCompaction);
  return [
    { id: condenseId, role: "user", content: text, ...tags, compaction: "provider" },
    ...window.map(({ role, content }, index) => ({
      id: `${condenseId}-${index}`,
      role,
      content,
      ...tags,
      ...(index < place && { isRetained: true }),
    })),
  ];
}
