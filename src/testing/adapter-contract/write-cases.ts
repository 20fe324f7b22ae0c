import assert from "node:assert/strict";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Content, Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import {
  type AdapterContractCase,
  bodyText,
  type ContractContext,
  itemTexts,
  readBody,
  readInParts,
  surroundings,
} from "./contract-case.ts";
import { numberedLog, wireParts } from "./wire-parts.ts";

const STEPS = 8;
const INDENTS = [undefined, 2];

export function writeCases(context: ContractContext): readonly AdapterContractCase[] {
  return [...untouchedCases(context), ...CONTRACT_FOLDS.flatMap((fold) => foldCases(context, fold))];
}

function untouchedCases(context: ContractContext): readonly AdapterContractCase[] {
  const { adapter, fixtures } = context;
  return [
    {
      name: "writes what is not folded as the body that came",
      run: async () => {
        for (const indent of INDENTS) {
          const body = bodyText(context, STEPS, indent);
          const request = readBody(context, body);
          assert.equal(adapter.writeRequest(request, wireParts(numberedLog(request.messages))), body);
          assert.equal(await fixtures.refusalOf(fixtures.path, body), undefined);
        }
      },
    },
    {
      name: "keeps every byte of the messages that are sent, and of all around the conversation",
      run: async () => {
        for (const indent of INDENTS) {
          const body = bodyText(context, STEPS, indent);
          const request = readBody(context, body);
          const parts = wireParts(numberedLog(request.messages)).filter((_, index) => index === 0 || index > 6);
          const written = adapter.writeRequest(request, parts);
          assert.deepEqual(surroundings(adapter, written), surroundings(adapter, body));
          const items = itemTexts(adapter, body);
          for (const item of itemTexts(adapter, written)) assert(items.includes(item), `changed: ${item}`);
        }
      },
    },
  ];
}

function foldCases(context: ContractContext, fold: ContractFold): readonly AdapterContractCase[] {
  const { adapter, fixtures } = context;
  const write = (steps: number, indent: number | undefined, log: readonly Message[]) =>
    adapter.writeRequest(readBody(context, bodyText(context, steps, indent)), wireParts(log));
  const logOf = (steps: number) => numberedLog(readBody(context, bodyText(context, steps)).messages);
  return [
    {
      name: `${fold.name}: what is written is taken by a strict server, and says what the view says`,
      run: async () => {
        const log = fold.apply(logOf(STEPS));
        const view = effectiveView(log);
        for (const indent of INDENTS) {
          const written = write(STEPS, indent, log);
          assert.equal(await fixtures.refusalOf(fixtures.path, written), undefined);
          const { messages } = readBody(context, written);
          assert.deepEqual(validateView(messages), []);
          assert.deepEqual(resultsIn(messages), resultsIn(view));
          assert(written.length < bodyText(context, STEPS, indent).length, "nothing was hidden");
          assert.deepEqual(surroundings(adapter, written), surroundings(adapter, bodyText(context, STEPS, indent)));
        }
      },
    },
    {
      name: `${fold.name}: what is written from parts of the body is what is written from all of it`,
      run: async () => {
        const log = fold.apply(logOf(STEPS));
        for (const indent of INDENTS) {
          const inParts = readInParts(context, bodyText(context, STEPS, indent));
          assert.equal(adapter.writeRequest(inParts, wireParts(log)), write(STEPS, indent, log));
        }
      },
    },
    {
      name: `${fold.name}: what was sent stays the beginning of what is sent next`,
      run: async () => {
        const steps = upToLastResult(logOf(STEPS));
        const before = fold.apply(steps);
        const newer = logOf(STEPS + 2).slice(steps.length);
        const sent = itemTexts(adapter, write(STEPS, undefined, before));
        const next = itemTexts(adapter, write(STEPS + 2, undefined, [...before, ...newer]));
        assert.deepEqual(next.slice(0, sent.length), sent);
      },
    },
  ];
}

/** The log without the last texts, which every body has at its end, however many steps it has. */
function upToLastResult(log: readonly Message[]): readonly Message[] {
  return log.slice(0, log.findLastIndex(({ content }) => contentBlocks(content).some(isToolResult)) + 1);
}

/** The contents of all tool results. */
function resultsIn(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap(({ content }) =>
    contentBlocks(content)
      .filter(isToolResult)
      .map((block) => block.content),
  );
}

/** A way to fold a log. */
interface ContractFold {
  readonly name: string;
  readonly apply: (log: readonly Message[]) => readonly Message[];
}

const COUNTING = {
  taskId: "contract",
  countTokens: (content: Content) => Math.ceil(serialize(content).length / 4),
};

const summary: ContractFold = {
  name: "a summary",
  apply: (log) => {
    const plan = planSummary(log, { ...COUNTING, keepMessages: 4 });
    return plan.type === "refused" ? log : applyCondensation(log, plan, [summaryMessage(plan, "SUMMARY")]);
  },
};

const snapshot: ContractFold = {
  name: "a snapshot",
  apply: (log) => {
    const plan = planSnapshot(log, COUNTING);
    return plan.type === "refused" ? log : applyCondensation(log, plan, snapshotMessages(plan, "SNAPSHOT"));
  },
};

const clear: ContractFold = {
  name: "cleared results",
  apply: (log) => clearToolResults(log, { ...COUNTING, keepNewest: 1, minGainTokens: 0 }).messages,
};

/** Every kind of fold, and a combination of two: the same list for every adapter. */
const CONTRACT_FOLDS: readonly ContractFold[] = [
  summary,
  snapshot,
  clear,
  { name: "a truncation", apply: (log) => truncateConversation(log, 0.5, "contract").messages },
  {
    name: "repeated reads",
    apply: (log) => dedupeToolResults(log, { ...COUNTING, minTokens: 0, minGainTokens: 0 }).messages,
  },
  {
    name: "clipped blocks",
    apply: (log) => clipBlocks(log, { ...COUNTING, budgetTokens: 300, messageIndexes: [...log.keys()] }).messages,
  },
  { name: "cleared results, then a summary", apply: (log) => summary.apply(clear.apply(log)) },
];
