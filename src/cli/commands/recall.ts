import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { type Arguments, countOption, parseCommandLine, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import type { Output } from "../terminal/output.ts";
import { FROM_OPTION, nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";
import { oneLine, safeText } from "../terminal/safe-text.ts";
import { type Style, styleFor } from "../terminal/style.ts";

const DEFAULT_BUDGET_TOKENS = 1_500;

const COMMAND: Command = {
  name: "recall",
  about: `Searches everything that was said in a session, thoughts and tool output included, and prints the excerpts that
match best, word for word. <file> is a session of any known agent; - is standard input.`,
  positionals: ["file", "query"],
  options: {
    budget: { value: "TOKENS", about: `the most that the answer may take (default: ${DEFAULT_BUDGET_TOKENS})` },
    json: { about: "print { query, budgetTokens, tokens, hits, text } for machines; text is what an agent gets" },
    from: FROM_OPTION,
  },
};

/** `palimpsest recall <file> "<query>"`; returns the exit code, 0 also where nothing matches. */
export async function recall(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const { query = "" } = given.values;
  if (query.trim() === "") throw wrongUsage(COMMAND, "<query> is empty. Say in a few words what to look for.");
  const budgetTokens = countOption(COMMAND, given, "budget") ?? DEFAULT_BUDGET_TOKENS;
  const { messages } = await readSessionFile(COMMAND, given);
  const index = createRecallIndex(messages, { scope: "all" });
  const hits = index.recall(query, { budgetTokens });
  const text = renderRecall(hits);
  const tokens = hits.length === 0 ? 0 : countTextTokens(text);
  if (given.flags.has("json")) {
    output.write(`${JSON.stringify({ query, budgetTokens, tokens, hits, text }, undefined, 2)}\n`);
    return 0;
  }
  if (hits.length === 0) output.write(`${whyNothing(index, given, budgetTokens)}\n`);
  else output.write(renderHits(hits, { tokens, budgetTokens, style: styleFor(output, process.env) }));
  return 0;
}

function whyNothing(index: RecallIndex, { values }: Arguments, budgetTokens: number): string {
  const { query = "", file = "" } = values;
  const [best] = index.recall(query, { budgetTokens: Number.MAX_SAFE_INTEGER, maxHits: 1 });
  if (best === undefined) return `Nothing in ${nameOfFile(file)} matches ${JSON.stringify(query)}.`;
  return `No match fits in ${countOf(budgetTokens, "token")}. Pass a larger --budget, such as ${2 * best.tokens}.`;
}

interface HitsOptions {
  readonly tokens: number;
  readonly budgetTokens: number;
  readonly style: Style;
}

function renderHits(hits: readonly RecallHit[], { tokens, budgetTokens, style }: HitsOptions): string {
  const size = `${formatCount(tokens)} of ${countOf(budgetTokens, "token")}`;
  const shown = hits.map((hit) => {
    const lines = safeText(hit.text).split("\n");
    return `\n${style.heading(describeHit(hit))}\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
  });
  return `${countOf(hits.length, "excerpt")}, best match first (${size})\n${shown.join("")}`;
}

/** Where an excerpt is from: `message m12 · assistant, tool-result of read_file · lines 10-24`. */
function describeHit({ messageId, role, kind, toolName, firstLine, lastLine }: RecallHit): string {
  const tool = toolName === undefined ? "" : ` of ${toolName}`;
  const lines = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  return oneLine(`message ${messageId} · ${role}, ${kind}${tool} · ${lines}`);
}
