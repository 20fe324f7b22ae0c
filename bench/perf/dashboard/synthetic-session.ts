/**
 * A session of any size in the form of the gateway's API, computed from the numbers of messages and requests: nobody has a real one of
 * 100,000 messages and 5,000 requests, and the page must not care.
 */

export interface SyntheticSize {
  readonly messages: number;
  readonly requests: number;
}

export interface Window {
  readonly fromMessage: number;
  readonly toMessage: number;
  readonly fromRequest: number;
  readonly toRequest: number;
}

/** Every so many requests something is folded, and all but the newest messages are hidden. */
const FOLD_EVERY = 40;
/** What a fold leaves visible of the messages before it. */
const KEPT = 30;
const KINDS = ["text", "tool-call", "tool-result"] as const;

type Run = readonly [first: number, last: number, state: string, foldId?: string];

/** The part of the matrix that the page asks for. */
export function syntheticStrata({ messages, requests }: SyntheticSize, window: Window) {
  const end = { row: Math.min(window.toMessage, messages), column: Math.min(window.toRequest, requests) };
  const rows = range(window.fromMessage, end.row).map((index) => rowOf(index, { messages, requests }, window));
  const columns = range(window.fromRequest, end.column).map(columnOf);
  const folds = columns.flatMap(({ index, foldIds }) =>
    foldIds.map((foldId) => ({ foldId, kind: "condense", request: index, cause: "pays" })),
  );
  return {
    version: messages,
    messages: { total: messages, from: window.fromMessage, rows },
    requests: { total: requests, from: window.fromRequest, columns },
    folds,
  };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, place) => from + place);
}

function columnOf(index: number) {
  const isFold = index > 0 && index % FOLD_EVERY === 0;
  const sinceFold = index % FOLD_EVERY;
  const promptTokens = 18_000 + sinceFold * 2_400;
  return {
    index,
    at: 1_700_000_000_000 + index * 60_000,
    promptTokens,
    cacheReadTokens: isFold ? 9_000 : promptTokens - 2_400,
    foldIds: isFold ? [`condense-${index}`] : [],
    reason: isFold ? "pays" : "fits",
  };
}

function rowOf(index: number, { messages, requests }: SyntheticSize, window: Window) {
  const kind = KINDS[index % KINDS.length] ?? "text";
  const firstRequest = Math.min(requests - 1, Math.floor((index / messages) * requests));
  // The first fold at which it is no longer among the newest.
  const leftAt = (Math.floor((((index + KEPT) / messages) * requests) / FOLD_EVERY) + 1) * FOLD_EVERY;
  const runs: readonly Run[] = runsOf(firstRequest, leftAt, requests);
  const isHidden = leftAt < requests;
  return {
    index,
    id: `m${index}`,
    role: kind === "tool-call" ? "assistant" : "user",
    kind,
    tokens: 80 + ((index * 7_919) % 2_400),
    label: `${kind} ${index}: what the agent did in this step, in a few words`,
    runs: runs.filter(([first, last]) => last >= window.fromRequest && first < window.toRequest),
    nowState: isHidden ? "hidden" : "cached",
    ...(isHidden ? { nowFoldId: `condense-${leftAt}` } : {}),
  };
}

function runsOf(first: number, leftAt: number, requests: number): readonly Run[] {
  const runs: Run[] = [[first, first, "sent"]];
  for (let from = first + 1; from < Math.min(leftAt, requests); ) {
    const nextFold = (Math.floor(from / FOLD_EVERY) + 1) * FOLD_EVERY;
    if (from % FOLD_EVERY === 0) {
      runs.push([from, from, "sent"]);
      from += 1;
      continue;
    }
    const last = Math.min(nextFold, leftAt, requests) - 1;
    runs.push([from, last, "cached"]);
    from = last + 1;
  }
  if (leftAt < requests) runs.push([leftAt, requests - 1, "hidden", `condense-${leftAt}`]);
  return runs;
}
