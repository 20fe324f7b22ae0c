import { createRecallIndex } from "../../core/recall/recall-index.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Recalled, RecallRequest } from "../sessions/recall-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Arguments, type Command, countOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output, type Style, styleFor } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { FROM_OPTION, nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";
import { oneLine, safeText } from "../terminal/safe-text.ts";

const DEFAULT_BUDGET_TOKENS = 1_500;

const COMMAND: Command = {
  name: "recall",
  about: `Searches everything that was said in a session, thoughts and tool output included, and prints the
excerpts that match best, word for word. <file> is a session file of any known agent; - is standard
input. To search stored sessions, give --session or --all instead of <file>.`,
  positionals: ["file", "query"],
  options: {
    session: { value: "ID", about: "search what the folds of a stored session hide", replaces: "file" },
    all: { about: "search all stored sessions, whether folded or not", replaces: "file" },
    budget: { value: "TOKENS", about: `the largest answer (default: ${DEFAULT_BUDGET_TOKENS})` },
    json: {
      about:
        "print { query, budgetTokens, tokens, hits, text } for machines; text is the answer\nthat an agent gets, and is absent with --all",
    },
    store: STORE_OPTION,
    from: FROM_OPTION,
  },
};

/** `palimpsest recall <file> "<query>"`; returns the exit code, 0 also where nothing matches. */
export async function recall(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { query = "" } = given.values;
  if (query.trim() === "") throw wrongUsage(COMMAND, "<query> is empty. Say in a few words what to look for.");
  const budgetTokens = countOption(COMMAND, given, "budget") ?? DEFAULT_BUDGET_TOKENS;
  const isJson = given.flags.has("json");
  const recalled = await withProgress({ notes, isJson }, ({ during }) =>
    during("searching", () => search(given, { query, budgetTokens })),
  );
  const { hits, text } = recalled;
  const tokens = sizeOf(recalled);
  if (isJson) {
    output.write(jsonText({ query, budgetTokens, tokens, hits, text }));
    return 0;
  }
  if (hits.length === 0) output.write(`${whyNothing(recalled, { query, budgetTokens })}\n`);
  else output.write(renderHits(hits, { tokens, budgetTokens, style: styleFor(output, process.env) }));
  return 0;
}

async function search(given: Arguments, request: RecallRequest): Promise<Recalled> {
  const { session, store } = given.values;
  const isOfAll = given.flags.has("all");
  if (isOfAll && session !== undefined) throw wrongUsage(COMMAND, "Pass --session or --all, not both.");
  if (isOfAll || session !== undefined) return recallStored(given, request);
  if (store !== undefined) throw wrongUsage(COMMAND, "--store goes with --session or --all.");
  return recallFile(given, request);
}

async function recallStored(given: Arguments, request: RecallRequest): Promise<Recalled> {
  // Imported only here: a search of a file need not load the engine.
  const [{ withSessions }, { recallAll, recallSession }] = await Promise.all([
    import("../sessions/open-sessions.ts"),
    import("../sessions/recall-sessions.ts"),
  ]);
  const { session } = given.values;
  return withSessions(COMMAND, given, {
    use: (open) => (session === undefined ? recallAll(open, request) : recallSession(open, session, request)),
  });
}

async function recallFile(given: Arguments, { query, budgetTokens }: RecallRequest): Promise<Recalled> {
  const { messages } = await readSessionFile(COMMAND, given);
  const index = createRecallIndex(messages, { scope: "all" });
  const hits = index.recall(query, { budgetTokens });
  const [best] = index.recall(query, { budgetTokens: Number.MAX_SAFE_INTEGER, maxHits: 1 });
  const where = nameOfFile(given.values.file ?? "");
  return { hits, text: renderRecall(hits), where, bestTokens: best?.tokens };
}

function sizeOf({ hits, text }: Recalled): number {
  if (hits.length === 0) return 0;
  return text === undefined ? hits.reduce((sum, hit) => sum + hit.tokens, 0) : countTextTokens(text);
}

/** More than the text around the excerpts takes. */
const FRAME_TOKENS = 100;

function whyNothing({ where, bestTokens }: Recalled, { query, budgetTokens }: RecallRequest): string {
  if (bestTokens === undefined) return oneLine(`Nothing in ${where} matches ${JSON.stringify(query)}.`);
  return `No match fits in ${countOf(budgetTokens, "token")}. Pass a larger --budget, such as ${2 * bestTokens + FRAME_TOKENS}.`;
}

interface HitsOptions {
  readonly tokens: number;
  readonly budgetTokens: number;
  readonly style: Style;
}

function renderHits(hits: Recalled["hits"], { tokens, budgetTokens, style }: HitsOptions): string {
  const size = `${formatCount(tokens)} of ${countOf(budgetTokens, "token")}`;
  const shown = hits.map((hit) => {
    const lines = safeText(hit.text).split("\n");
    return `\n${style.heading(describeHit(hit))}\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
  });
  return `${countOf(hits.length, "excerpt")}, best match first (${size})\n${shown.join("")}`;
}

/** The origin of an excerpt: `message m12 · assistant, tool-result of read_file · lines 10-24`. */
function describeHit(hit: Recalled["hits"][number]): string {
  const { messageId, role, kind, toolName, firstLine, lastLine } = hit;
  const session = "sessionId" in hit ? `session ${hit.sessionId} · ` : "";
  const tool = toolName === undefined ? "" : ` of ${toolName}`;
  const lines = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  return oneLine(`${session}message ${messageId} · ${role}, ${kind}${tool} · ${lines}`);
}
