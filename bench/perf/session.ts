/** View and count of a long session: the first time, and after one more message. */
import { getEffectiveApiHistory } from "palimpsest";
import { countContentTokens, countMessagesTokens, trackView } from "palimpsest/core";
import { buildSession, TOKENS_PER_MESSAGE } from "./long-session.ts";

const SIZES = [1_000, 10_000, 100_000];
const APPENDS = 2_000;

export function benchSession(): void {
  console.log(`\nA session's view and count (about ${TOKENS_PER_MESSAGE} tokens a message), times in ms`);
  console.log(row("messages", "tokens", "first time", "view + count again", "append p50", "append p99"));
  for (const size of SIZES) {
    const messages = buildSession(size);
    const [first, tracker] = timed(() => trackView(messages, countContentTokens));
    const tokens = tracker.tokens();
    const [again] = timed(() => countMessagesTokens(getEffectiveApiHistory(messages)));
    const appends = buildSession(APPENDS, size).map((message) => {
      const [elapsed] = timed(() => {
        tracker.append(message);
        return [tracker.view().length, tracker.tokens()];
      });
      return elapsed;
    });
    appends.sort((a, b) => a - b);
    const quantile = (share: number) => milliseconds(appends[Math.floor(share * (APPENDS - 1))] ?? Number.NaN);
    console.log(
      row(String(size), String(tokens), milliseconds(first), milliseconds(again), quantile(0.5), quantile(0.99)),
    );
  }
}

function timed<Value>(work: () => Value): readonly [number, Value] {
  const start = performance.now();
  const value = work();
  return [performance.now() - start, value];
}

function milliseconds(value: number): string {
  return value.toFixed(value < 1 ? 4 : 1);
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(19)).join("");
}
