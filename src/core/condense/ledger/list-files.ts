import { endsAsFile } from "../../text/identifier-kind.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import type { FileTouch, ToolAct } from "../../tool-calls/tool-act.ts";
import { isOurHeading, LINE_END } from "./cut-lines.ts";
import { failedCalls } from "./failed-calls.ts";
import type { LogBlock } from "./log-blocks.ts";

interface FileState {
  readonly path: string;
  readonly touches: Map<FileTouch["touch"], number>;
  latest: number;
}

/** More files than this are not listed: the agent had better look them up. */
const MAX_FILES = 15;

/** Lines for files that no heading names, with the newest use of each kind: `src/a.ts: modified m12, read m9`. Changed files come first, then the newest used. */
export function listFiles(
  blocks: readonly LogBlock[],
  headed: ReadonlySet<string>,
  budgetTokens: number,
): readonly string[] {
  const lines: string[] = [];
  let left = budgetTokens;
  for (const entry of fileEntries(blocks, headed)) {
    left -= countTextTokens(`${entry}\n`);
    if (left < 0) break;
    lines.push(entry);
  }
  return lines.length === 0 ? [] : ["[files]", ...lines];
}

/** The files that a call surely names: words of a shell command count only where they end like file names. */
export function namedFiles({ files, command }: ToolAct): readonly FileTouch[] {
  return files.filter(
    ({ path }) => !isOurHeading(path) && !LINE_END.test(path) && (command === undefined || endsAsFile(path)),
  );
}

function fileEntries(blocks: readonly LogBlock[], headed: ReadonlySet<string>): readonly string[] {
  const states = new Map<string, FileState>();
  const failed = failedCalls(blocks);
  for (const { source, act, call, number } of blocks) {
    if (source !== "call" || act === undefined || number === undefined) continue;
    for (const { path, touch } of namedFiles(act)) {
      if (touch !== "read" && call !== undefined && failed.has(call.id)) continue;
      const state = states.get(path) ?? { path, touches: new Map(), latest: number };
      states.set(path, state);
      // Deleted first, so that the newest use comes last.
      state.touches.delete(touch);
      state.touches.set(touch, number);
      state.latest = number;
    }
  }
  const isChanged = ({ touches }: FileState) =>
    touches.has("modified") || touches.has("created") || touches.has("deleted");
  return [...states.values()]
    .filter(({ path }) => !headed.has(path))
    .sort((one, other) => Number(isChanged(other)) - Number(isChanged(one)) || other.latest - one.latest)
    .slice(0, MAX_FILES)
    .map(({ path, touches }) => {
      const uses = [...touches].reverse().map(([touch, number]) => `${touch} m${number}`);
      return `${path}: ${uses.join(", ")}`;
    });
}
