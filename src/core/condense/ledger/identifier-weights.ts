import type { Message } from "../../message/message.ts";
import { contentBlocks, isToolUse } from "../../message/tool-pairs.ts";
import { toolAct } from "../../tool-calls/tool-act.ts";
import { type IdentifierTerm, type LedgerWeights, likelihood, type TermWeights } from "./ledger-weights.ts";
import { sourceBlocks } from "./source-lines.ts";
import { type SpokenOf, spokenShare } from "./spoken-of.ts";

/** How an identifier was used so far. Distances are in replies of the model, counted back from the end of the log. */
interface Usage {
  /** Since anyone named it. */
  sinceNamed: number;
  /** Since the agent itself named it. */
  sinceAgent: number;
  /** Since it was first named. */
  sinceFirst: number;
  /** Messages that name it: all, and the agent's. */
  messages: number;
  agentMessages: number;
  isNamedByUser: boolean;
  /** The agent wrote it into a file. */
  isWritten: boolean;
  /** Lines of the shortest text that names it. */
  fewestLines: number;
}

/** The distance for an identifier that the agent never named. */
const NEVER = 10_000;

export interface IdentifierWeightsOptions {
  readonly spoken: SpokenOf;
  readonly weights: LedgerWeights;
}

/** How likely each identifier is to be used again by the agent, from 0 to 1. */
export function identifierWeights(
  messages: readonly Message[],
  { spoken, weights }: IdentifierWeightsOptions,
): ReadonlyMap<string, number> {
  const likelihoods = new Map<string, number>();
  for (const [identifier, usage] of collectUsages(messages)) {
    likelihoods.set(identifier, likelihood(weights.identifiers, identifierTerms(identifier, usage, spoken)));
  }
  return likelihoods;
}

/** The values of an identifier's terms, for weighing and for fitting alike. */
export function identifierTerms(
  identifier: string,
  usage: Usage,
  { asked, named, words }: SpokenOf,
): TermWeights<IdentifierTerm> {
  return {
    always: 1,
    sinceNamed: Math.log1p(usage.sinceNamed),
    sinceAgent: Math.log1p(usage.sinceAgent),
    sinceFirst: Math.log1p(usage.sinceFirst),
    messages: Math.log(usage.messages),
    agentMessages: Math.log1p(usage.agentMessages),
    fewestLines: Math.log(usage.fewestLines),
    isNamedByUser: usage.isNamedByUser ? 1 : 0,
    isFlag: identifier.startsWith("-") ? 1 : 0,
    isUrl: identifier.includes("://") ? 1 : 0,
    isAsked: asked.has(identifier) ? 1 : 0,
    isSpoken: named.has(identifier) ? 1 : 0,
    spokenWords: spokenShare(identifier, words),
    isWritten: usage.isWritten ? 1 : 0,
  };
}

/** How each identifier of a log was used, read in one pass. */
export function collectUsages(messages: readonly Message[]): ReadonlyMap<string, Usage> {
  const usages = new Map<string, Usage>();
  let repliesLeft = messages.filter((message) => message.role === "assistant").length;
  for (const message of messages) {
    if (message.role === "assistant") repliesLeft -= 1;
    for (const [identifier, mention] of mentionsIn(message)) {
      let usage = usages.get(identifier);
      if (usage === undefined) {
        usage = firstUsage(repliesLeft);
        usages.set(identifier, usage);
      }
      addUse(usage, mention, repliesLeft);
    }
  }
  return usages;
}

function firstUsage(replies: number): Usage {
  return {
    sinceNamed: replies,
    sinceAgent: NEVER,
    sinceFirst: replies,
    messages: 0,
    agentMessages: 0,
    isNamedByUser: false,
    isWritten: false,
    fewestLines: Number.POSITIVE_INFINITY,
  };
}

function addUse(usage: Usage, { isByUser, isByAgent, isWritten, fewestLines }: Mention, repliesLeft: number): void {
  usage.sinceNamed = repliesLeft;
  usage.messages += 1;
  usage.fewestLines = Math.min(usage.fewestLines, fewestLines);
  if (isByUser) usage.isNamedByUser = true;
  if (isWritten) usage.isWritten = true;
  if (!isByAgent) return;
  usage.agentMessages += 1;
  usage.sinceAgent = repliesLeft;
}

/** How one message names an identifier. */
export interface Mention {
  isByUser: boolean;
  /** In what it said, or in a call. */
  isByAgent: boolean;
  /** In a call that changes a file. */
  isWritten: boolean;
  fewestLines: number;
}

const mentionsBySource = new WeakMap<object, ReadonlyMap<string, Mention>>();

/** How a message names each of its identifiers; cached like its lines. */
export function mentionsIn(message: Message): ReadonlyMap<string, Mention> {
  const blocks = sourceBlocks(message);
  const cached = mentionsBySource.get(blocks);
  if (cached !== undefined) return cached;
  const mentions = new Map<string, Mention>();
  const contents = contentBlocks(message.content);
  for (const { source, lines, blockIndex } of blocks) {
    const content = contents[blockIndex];
    const kind = content !== undefined && isToolUse(content) ? toolAct(content).kind : undefined;
    const isWritten = kind === "edit" || kind === "write";
    for (const { identifiers } of lines) {
      for (const identifier of identifiers) {
        const mention = mentions.get(identifier) ?? newMention(lines.length);
        mentions.set(identifier, mention);
        if (isWritten) mention.isWritten = true;
        if (source === "user") mention.isByUser = true;
        if (source === "call" || source === "assistant") mention.isByAgent = true;
        mention.fewestLines = Math.min(mention.fewestLines, lines.length);
      }
    }
  }
  mentionsBySource.set(blocks, mentions);
  return mentions;
}

function newMention(fewestLines: number): Mention {
  return { isByUser: false, isByAgent: false, isWritten: false, fewestLines };
}
