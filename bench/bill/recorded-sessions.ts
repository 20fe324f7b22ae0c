import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Message, ReportedUsage } from "palimpsest";
import { type RecordedRequest, readRequests } from "../perf/claude-code-requests.ts";
import { tokensOf } from "./counted.ts";

/** One call of a recorded session: what came since the call before, its previous reply first, and what was answered. */
export interface RecordedCall {
  readonly atMs: number;
  readonly newMessages: readonly Message[];
  readonly reply: Message;
  readonly outputTokens: number;
}

/** A conversation of an agent with its recorded clock. All sizes but `tokenRatio` are in the provider's tokens. */
export interface RecordedSession {
  readonly name: string;
  readonly calls: readonly RecordedCall[];
  /** The provider's tokens for one that we count. */
  readonly tokenRatio: number;
  /** System prompt and tools, which are in no file: what the first prompt was reported to hold besides its messages. */
  readonly fixedTokens: number;
}

export interface RecordedSessions {
  readonly sessions: readonly RecordedSession[];
  readonly files: number;
  /** Sessions of too few calls, which are left out. */
  readonly shortSessions: number;
}

const LEAST_CALLS = 5;
// no tokenizer seen so far is outside; what a file does not hold would show as a ratio that is
const RATIOS = { least: 0.8, most: 2.2, usual: 1.1 };

/** Every Claude Code session below `claude-code/` in the folders, as if the agent itself had never compacted. */
export function readRecordedSessions(folders: readonly string[]): RecordedSessions {
  const files = folders
    .map((folder) => join(folder, "claude-code"))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      globSync("**/*.jsonl", { cwd: folder })
        .sort()
        .map((name) => ({ name, path: join(folder, name) })),
    );
  const all = files.flatMap(({ name, path }) =>
    readRequests(readFileSync(path, "utf8"), { keepsSummaries: false }).map((requests) => ({ name, requests })),
  );
  const long = all.filter(({ requests }) => requests.length >= LEAST_CALLS);
  return {
    sessions: long.map(({ name, requests }) => sessionOf(name, requests)),
    files: files.length,
    shortSessions: all.length - long.length,
  };
}

/** Calibrates a session's sizes to what the provider reported. */
export function sessionOf(name: string, requests: readonly RecordedRequest[]): RecordedSession {
  const messages = requests.map(({ added }, i) => [...replyBefore(requests, i), ...joinUserTurns(added)]);
  const counted = messages.map((list) => list.reduce((sum, message) => sum + tokensOf(message), 0));
  const tokenRatio = ratioOf(requests, counted);
  const first = requests[0] === undefined ? 0 : promptTokensOf(requests[0].usage);
  const calls = requests.map(({ atMs, reply, usage }, i) => ({
    atMs,
    newMessages: messages[i] ?? [],
    reply,
    // older versions of the agent wrote down what the stream reported first
    outputTokens: Math.max(usage.outputTokens ?? 0, Math.round(tokenRatio * tokensOf(reply))),
  }));
  return { name, calls, tokenRatio, fixedTokens: Math.max(0, first - tokenRatio * (counted[0] ?? 0)) };
}

function replyBefore(requests: readonly RecordedRequest[], index: number): readonly Message[] {
  const previous = requests[index - 1];
  return previous === undefined ? [] : [previous.reply];
}

/** The provider's tokens for one of ours: from the first call to the last before the agent compacted. */
function ratioOf(requests: readonly RecordedRequest[], counted: readonly number[]): number {
  const restart = requests.findIndex(({ isRestart }, i) => i > 0 && isRestart);
  const last = (restart < 0 ? requests.length : restart) - 1;
  const [from, to] = [requests[0], requests[last]];
  const grownCount = counted.slice(1, last + 1).reduce((sum, tokens) => sum + tokens, 0);
  if (from === undefined || to === undefined || grownCount === 0) return RATIOS.usual;
  const grown = promptTokensOf(to.usage) - promptTokensOf(from.usage);
  return Math.min(RATIOS.most, Math.max(RATIOS.least, grown / grownCount));
}

function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** One message of all that the user's side added: the file has a line for each tool result, the request has not. */
function joinUserTurns(added: readonly Message[]): readonly Message[] {
  const content = added.flatMap((message): readonly Block[] =>
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
  );
  return content.length === 0 ? [] : [{ role: "user", content }];
}
